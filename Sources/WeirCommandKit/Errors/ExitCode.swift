/// How a command ends, on the lines of `sysexits.h`; signals follow the shell convention of 128 + number.
///
/// The numbers are part of the interface: scripts branch on them, and ``HelpPage`` lists them.
public enum ExitCode: Int32, CaseIterable, Sendable {
  /// The work is done.
  case success = 0
  /// The command line is wrong: unknown command or option, bad value, missing argument.
  case usage = 64
  /// Input was refused: corrupt data, or any refused line in strict mode.
  case dataRefused = 65
  /// An input file is missing, is a directory, or cannot be read.
  case noInput = 66
  /// A fault in weir itself.
  case internalFault = 70
  /// An output file cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed on the way.
  case inputOutput = 74
  /// Something that may go away: disk full, quota reached, store locked by another process. Try again later.
  case temporary = 75
  /// Interrupted by SIGINT; what was accepted before is safe.
  case interrupted = 130
  /// The reader of the output went away (SIGPIPE).
  case brokenPipe = 141
  /// Ended by SIGTERM; what was accepted before is safe.
  case terminated = 143

  /// One line for the help page.
  public var summary: String {
    switch self {
    case .success: "the work is done"
    case .usage: "the command line is wrong"
    case .dataRefused: "input was refused: corrupt, or any refused line in strict mode"
    case .noInput: "an input file is missing or cannot be read"
    case .internalFault: "a fault in weir itself; please report it"
    case .cannotCreate: "an output file cannot be created"
    case .inputOutput: "reading or writing failed on the way"
    case .temporary: "disk full, or store locked; try again later"
    case .interrupted: "interrupted (Ctrl-C); what was accepted is safe"
    case .brokenPipe: "the reader of the output went away"
    case .terminated: "ended by SIGTERM; what was accepted is safe"
    }
  }
}
