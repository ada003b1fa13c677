/// One line of an input as it was read, not yet understood.
public struct RawLine: Sendable, Equatable {
  /// Position of its input in the list given to ``LineSource``.
  public let source: Int
  /// From 1; empty lines count, though they are not delivered.
  public let number: Int
  /// Offset in its file of the first of ``bytes``, from 0.
  public let offset: Int64
  /// The line without its line break (LF or CRLF); never empty.
  public let bytes: [UInt8]

  /// A line, as ``LineSource`` makes it.
  public init(source: Int, number: Int, offset: Int64, bytes: [UInt8]) {
    self.source = source
    self.number = number
    self.offset = offset
    self.bytes = bytes
  }
}

/// A line that was longer than the limit and therefore skipped.
public struct RefusedLine: Sendable, Equatable {
  /// Stable code of this refusal.
  public static let code = "line.too-long"
  /// Position of its input in the list given to ``LineSource``.
  public let source: Int
  /// From 1.
  public let number: Int
  /// Offset in its file of the line's first byte.
  public let offset: Int64
  /// Length in bytes without the line break.
  public let length: Int64
  /// The line's first bytes, at most 256.
  public let start: [UInt8]
  /// The limit that it is over.
  public let limit: Int

  /// Why it was refused.
  public var reason: String {
    "the line has \(Humane.count(length)) bytes; the limit is \(Humane.count(limit)) bytes"
  }
}
