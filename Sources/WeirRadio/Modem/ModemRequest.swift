/// Something that is asked of a modem.
struct ModemRequest: Sendable {
  enum Kind: Sendable {
    /// A command; ends with its answer.
    case command(String)
    /// A frame; ends when it was sent.
    case payload([UInt8], times: FrameTimes)
    /// Bytes that are not answered; ends when they are handed over.
    case note([UInt8])
    /// Brings both sides in step again, and proves that the modem answers.
    case recovery
  }

  let id: UInt64
  let kind: Kind
  /// When whoever asked stops waiting.
  let deadline: Duration
  /// Whether the text may be shown in logs and errors.
  var isLogged = true

  /// The request in words that may be shown.
  var name: String {
    switch kind {
    case .command(let text): isLogged ? text : "a command that is not logged"
    case .payload(let bytes, _): "a frame of \(bytes.count) bytes"
    case .note: "a setting"
    case .recovery: "the recovery"
    }
  }

  /// The error for an answer that did not come.
  var timeout: RadioError {
    switch kind {
    case .command, .note, .recovery:
      RadioError(.commandTimedOut, "the modem did not answer \(name) in time; check the line and its speed")
    case .payload:
      RadioError(.sendTimedOut, "the modem did not say in time that \(name) was sent; whether it was is unknown")
    }
  }

  /// The error for an answer that says no.
  func refusal(_ line: String) -> RadioError {
    let words = "\(name) was refused" + (isLogged ? ": \(line)" : "")
    switch kind {
    case .command, .note, .recovery: return RadioError(.commandFailed, words)
    case .payload: return RadioError(.sendFailed, words)
    }
  }
}

/// How long a frame takes.
struct FrameTimes: Sendable, Hashable {
  /// To bring it to the modem.
  var transfer: Duration
  /// On the air.
  var airtime: Duration
  /// What the host and the line between may take beside that.
  var leeway: Duration = .seconds(1)

  /// The longest time until the modem has said that it was sent (radio study, section 3).
  var patience: Duration { transfer + airtime * 3 / 2 + leeway }
  /// The longest time for a frame that is on the air already, or next.
  var patienceOnAir: Duration { airtime * 3 / 2 + leeway }
  /// No modem is done before: whatever says so speaks of an earlier frame.
  var earliest: Duration { airtime / 2 }
}
