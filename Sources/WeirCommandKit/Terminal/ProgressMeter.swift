/// Turns counts and a time into a line of text. A pure value: the caller tells it the time.
public struct ProgressMeter: Sendable {
  /// What "all" means, when it is known.
  public enum Total: Sendable, Equatable {
    /// There is no telling how much is to come.
    case unknown
    /// Bytes to read in all.
    case bytes(Int64)
    /// Elements to come in all.
    case elements(Int)
  }

  /// What the flow is doing now.
  public enum Pressure: Sendable, Equatable {
    /// Nothing holds the flow back.
    case flowing
    /// There is nothing to read.
    case waiting
    /// The named node takes longer than the ones before it, which wait for it this share of the time.
    case heldBy(String, share: Double)
    /// Intake has stopped and what is inside is being finished.
    case draining

    var word: String {
      switch self {
      case .flowing: "flowing"
      case .waiting: "waiting for input"
      case .heldBy(let node, let share): "held \(Humane.percent(share)) by \(printable(node))"
      case .draining: "draining"
      }
    }
  }

  /// Counts at one moment; all of them only ever grow.
  public struct Sample: Sendable, Equatable {
    /// Messages (or lines) done.
    public var elements: Int
    /// Bytes read.
    public var bytes: Int64
    /// Lines refused.
    public var refused: Int
    /// What the flow is doing.
    public var pressure: Pressure

    /// Counts at one moment.
    public init(elements: Int = 0, bytes: Int64 = 0, refused: Int = 0, pressure: Pressure = .flowing) {
      self.elements = elements
      self.bytes = bytes
      self.refused = refused
      self.pressure = pressure
    }
  }

  /// How far back the shown rate looks: long enough to be calm, short enough to show a stall.
  private static let window = Duration.seconds(5)

  private let noun: String
  private let total: Total
  /// Samples of the last window, oldest first and spaced out to a few dozen, so a caller may observe at any pace.
  private var history: [(time: Duration, sample: Sample)] = [(.zero, Sample())]

  /// A meter at time zero. `noun` is what is counted, in the plural.
  public init(counting noun: String = "messages", total: Total = .unknown) {
    self.noun = noun
    self.total = total
  }

  /// Takes the counts at `time` since the start. A time before the last one is ignored.
  public mutating func observe(_ sample: Sample, at time: Duration) {
    guard let last = history.last, time >= last.time else { return }
    // The newest one is always kept; it makes way for the next unless it stands well apart from its predecessor.
    if history.count > 1, last.time - history[history.count - 2].time < Self.window / 32 { history.removeLast() }
    history.append((time, sample))
    while history.count > 2, time - history[1].time >= Self.window { history.removeFirst() }
  }

  /// Elements a second over the last seconds.
  public var rate: Double { perSecond { Double($0.elements) } }

  /// Share done between 0 and 1, nil while the total is unknown.
  public var share: Double? {
    switch total {
    case .unknown: nil
    case .bytes(let all): all > 0 ? min(1, Double(latest.bytes) / Double(all)) : nil
    case .elements(let all): all > 0 ? min(1, Double(latest.elements) / Double(all)) : nil
    }
  }

  /// Time left at the present rate; nil when the total is unknown, nothing moves, or it is beyond 99 days.
  public var remaining: Duration? {
    let seconds: Double
    switch total {
    case .unknown: return nil
    case .bytes(let all): seconds = Double(max(0, all - latest.bytes)) / perSecond { Double($0.bytes) }
    case .elements(let all): seconds = Double(max(0, all - latest.elements)) / rate
    }
    return seconds.isFinite && seconds < 99 * 86_400 ? .seconds(seconds) : nil
  }

  /// The progress line, at most `width` cells: parts that do not fit are left out, the least needed first.
  public func line(width: Int = 80) -> String {
    var parts: [(text: String, need: Int)] = [("\(Humane.count(latest.elements)) \(noun)", 9)]
    if let share { parts.append((Humane.percent(share), 8)) }
    parts.append((Humane.rate(rate), 6))
    if let remaining, share ?? 1 < 1 { parts.append(("\(Humane.duration(remaining)) left", 5)) }
    if latest.refused > 0 { parts.append(("\(Humane.count(latest.refused)) refused", 7)) }
    parts.append((latest.pressure.word, 4))
    if latest.bytes > 0 { parts.append((Humane.bytes(latest.bytes), 3)) }
    while true {
      let line = parts.map(\.text).joined(separator: "  ")
      if DisplayWidth.of(line) <= width || parts.count == 1 { return DisplayWidth.truncate(line, to: width) }
      guard let least = parts.indices.min(by: { parts[$0].need < parts[$1].need }) else { return line }
      parts.remove(at: least)
    }
  }

  /// Time of the latest observation.
  public var elapsed: Duration { history.last?.time ?? .zero }

  /// The closing line: what was done in all and at which mean rate.
  public func summary() -> String {
    var text = "\(Humane.count(latest.elements)) \(noun)"
    if latest.refused > 0 { text += ", \(Humane.count(latest.refused)) refused" }
    if latest.bytes > 0 { text += ", \(Humane.bytes(latest.bytes))" }
    text += " in \(Humane.duration(elapsed))"
    let seconds = elapsed / .seconds(1)
    return seconds > 0 ? text + " (\(Humane.rate(Double(latest.elements) / seconds)))" : text
  }

  private var latest: Sample { history.last?.sample ?? Sample() }

  private func perSecond(_ measure: (Sample) -> Double) -> Double {
    guard let first = history.first, let last = history.last, last.time > first.time else { return 0 }
    return max(0, measure(last.sample) - measure(first.sample)) / ((last.time - first.time) / .seconds(1))
  }
}
