/// Why lines cannot be read.
public enum LineSourceError: CommandError, Equatable {
  /// There is no such file.
  case missing(path: String)
  /// It is a directory.
  case directory(path: String)
  /// It may not be read, or not be opened.
  case unreadable(path: String, SystemFault)
  /// Reading failed on the way; lines delivered before are good.
  case readFailed(path: String, offset: Int64, SystemFault)
  /// The task was cancelled while waiting or reading.
  case cancelled

  public var code: String {
    switch self {
    case .missing: "input.missing"
    case .directory: "input.directory"
    case .unreadable: "input.unreadable"
    case .readFailed: "input.read-failed"
    case .cancelled: "input.cancelled"
    }
  }

  public var message: String {
    switch self {
    case .missing(let path): "\(printable(path)) does not exist"
    case .directory(let path): "\(printable(path)) is a directory"
    case .unreadable(let path, let fault): "\(printable(path)) cannot be opened: \(fault)"
    case .readFailed(let path, let offset, let fault):
      "reading \(printable(path)) failed at byte \(Humane.count(offset)): \(fault)"
    case .cancelled: "reading was cancelled"
    }
  }

  public var remedy: String? {
    switch self {
    case .missing(let path):
      path.unicodeScalars.contains("\u{FFFD}")
        ? "Its name holds bytes that are not UTF-8: rename it, or feed it through standard input with - and <."
        : "Check the name; use - for standard input."
    case .directory: "Name the files in it, such as DIRECTORY/*.jsonl."
    case .unreadable: "Check its permissions."
    case .readFailed, .cancelled: nil
    }
  }

  public var exitCode: ExitCode {
    switch self {
    case .missing, .directory, .unreadable: .noInput
    case .readFailed: .inputOutput
    case .cancelled: .interrupted
    }
  }
}
