/// What goes wrong at one command.
public enum CommandFault: Sendable, Hashable {
  /// The modem says no.
  case refuses
  /// The modem does nothing and says nothing.
  case isSilent
  /// The answer comes so much later.
  case isLate(Duration)
  /// A line that nobody asked for stands in the answer.
  case unsolicited(String)
  /// A query is answered by another value.
  case wrongValue(String)
  /// The modem starts anew instead: banner, and its settings are gone.
  case resets
  /// The line is closed.
  case closesLine
}

/// What goes wrong at one frame that the modem has taken.
public enum SendFault: Sendable, Hashable {
  /// It is sent, and the modem does not say so.
  case noReport
  /// The modem says so much later.
  case lateReport(Duration)
  /// The modem says so twice.
  case doubleReport
  /// It is not sent, and the modem says so.
  case fails
  /// The modem stays on the air for ever, and says nothing.
  case sticks
  /// The modem starts anew half way: banner, settings gone, frame lost.
  case resets
}

/// What goes wrong, and when: commands and frames are counted from 0 since the modem was switched on.
public struct FaultScript: Sendable, Hashable {
  /// Faults of commands; handing over a frame is no command here.
  public var commands: [Int: CommandFault] = [:]
  /// Faults of frames.
  public var sends: [Int: SendFault] = [:]
  /// Whether the dialect's probe is answered as it should be, whatever its number.
  public var sparesProbe = false
  /// Whether commands are repeated before they are answered.
  public var echoes = false
  /// Whether a command that the modem does not know is met with silence.
  public var ignoresUnknown = false
  /// Whether every byte is handed over on its own.
  public var splitsBytes = false

  /// Nothing goes wrong.
  public init() {}
}
