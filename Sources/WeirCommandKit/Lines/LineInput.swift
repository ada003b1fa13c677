/// Where lines come from.
public enum LineInput: Sendable, Hashable {
  /// A file, a named pipe or a device, read from a position.
  case file(path: String, from: LinePosition = .start)
  /// Standard input.
  case standardInput
  /// An open descriptor, which the caller closes after the source has gone.
  case descriptor(Int32, name: String)

  /// An operand of the command line: `-` is standard input.
  public init(operand: String) {
    self = operand == "-" ? .standardInput : .file(path: operand)
  }

  /// For messages.
  public var name: String {
    switch self {
    case .file(let path, _): path
    case .standardInput: "standard input"
    case .descriptor(_, let name): name
    }
  }
}

/// A place between two lines of a file, to go on from later.
public struct LinePosition: Sendable, Hashable {
  /// Bytes before it.
  public let offset: Int64
  /// Lines before it.
  public let line: Int

  /// The beginning of a file.
  public static let start = LinePosition(offset: 0, line: 0)

  /// A place after `line` lines that take `offset` bytes with their line breaks; negative numbers count as 0,
  /// and numbers beyond 2^60 as that.
  public init(offset: Int64, line: Int) {
    self.offset = min(max(0, offset), 1 << 60)
    self.line = min(max(0, line), 1 << 60)
  }
}
