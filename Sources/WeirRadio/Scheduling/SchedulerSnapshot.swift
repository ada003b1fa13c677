/// A scheduler at one moment: everything one asks when frames do not leave.
public struct SchedulerSnapshot: Sendable {
  /// A sub-band's window.
  public struct Window: Sendable, Equatable {
    /// The sub-band.
    public let subBand: String
    /// Time on air within the window that ends now.
    public let used: Duration
    /// Most that it may hold.
    public let limit: Duration
    /// How long until a frame of the scheduler's longest may start, of control; zero for now, nil for never.
    public let untilPermit: Duration?
  }

  /// Counts and times.
  public let metrics: SchedulerMetrics
  /// The windows of the sub-bands with a limit, by frequency.
  public let windows: [Window]
  /// How much of the channel others used within the last minute, in percent.
  public let foreignUse: Int
  /// How much of it was used by this radio, since the scheduler was made, in percent.
  public let ownUse: Double
  /// Leases, and how they ended.
  public let leases: LeaseCounts
  /// Why the radio is quarantined; nil when it is not.
  public let quarantine: String?

  /// The figures under the names of OpenTelemetry's conventions: `radio.*`, in `ms`, `By` or `1`.
  public var samples: [MetricSample] {
    var samples: [MetricSample] = []
    func add(_ name: String, _ unit: String, _ value: Double, _ attributes: [String: String] = [:]) {
      samples.append(MetricSample(name: "radio.\(name)", unit: unit, value: value, attributes: attributes))
    }
    func addAll(_ account: SchedulerMetrics.Account, _ scope: String, _ attributes: [String: String]) {
      add("\(scope).offered", "1", Double(account.offered), attributes)
      for kind in FrameFate.Kind.allCases {
        add("\(scope).fates", "1", Double(account.fates[kind] ?? 0), attributes.merging(["fate": kind.rawValue]) { $1 })
      }
      add("\(scope).queued", "1", Double(account.queued), attributes)
      add("\(scope).queue_airtime", "ms", account.queuedAirtime / .milliseconds(1), attributes)
      add("\(scope).airtime", "ms", account.airtime / .milliseconds(1), attributes)
      for (name, histogram) in [("wait", account.wait), ("latency", account.latency)] {
        for part in [0.5, 0.99] {
          add(
            "\(scope).\(name)", "ms", histogram.percentile(part) / .milliseconds(1),
            attributes.merging(["quantile": "\(part)"]) { $1 })
        }
      }
    }
    for (frameClass, account) in metrics.classes.sorted(by: { $0.key < $1.key }) {
      addAll(account, "class", ["class": frameClass.description])
    }
    for (flow, account) in metrics.flows.sorted(by: {
      ($0.key.frameClass, $0.key.name) < ($1.key.frameClass, $1.key.name)
    }) {
      addAll(account, "flow", ["class": flow.frameClass.description, "flow": flow.name])
    }
    for window in windows {
      let attributes = ["sub_band": window.subBand]
      add("window.used", "ms", window.used / .milliseconds(1), attributes)
      add("window.limit", "ms", window.limit / .milliseconds(1), attributes)
      if let wait = window.untilPermit { add("window.until_permit", "ms", wait / .milliseconds(1), attributes) }
    }
    add("channel.foreign_use", "1", Double(foreignUse) / 100)
    add("channel.own_use", "1", ownUse / 100)
    add("channel.backoffs", "1", Double(metrics.backoffs))
    add("channel.put_off", "1", Double(metrics.busyChannel))
    for part in [0.5, 0.99] {
      add("send.time", "ms", metrics.sending.percentile(part) / .milliseconds(1), ["quantile": "\(part)"])
    }
    add("send.failures", "1", Double(metrics.failures))
    add("send.timeouts", "1", Double(metrics.timeouts))
    add("recoveries", "1", Double(metrics.recoveries))
    add("recovery_failures", "1", Double(metrics.recoveryFailures))
    add("lease.given", "1", Double(leases.given))
    add("lease.restored", "1", Double(leases.restored))
    add("lease.quarantined", "1", Double(leases.quarantined))
    add("lease.yields", "1", Double(leases.yields))
    for (name, histogram) in [("wait", leases.wait), ("hold", leases.hold)] {
      for part in [0.5, 0.99] {
        add("lease.\(name)", "ms", histogram.percentile(part) / .milliseconds(1), ["quantile": "\(part)"])
      }
    }
    return samples
  }
}

/// One figure of a snapshot.
public struct MetricSample: Sendable, Equatable {
  /// Dotted name.
  public let name: String
  /// `ms`, `By` or `1`.
  public let unit: String
  /// The figure.
  public let value: Double
  /// What it is about.
  public let attributes: [String: String]
}
