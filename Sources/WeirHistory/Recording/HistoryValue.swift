import WeirStore

/// One value of a row as SQLite holds it: with its type, so that a tombstone says whether a number was a number.
public enum HistoryValue: Sendable, Hashable, CustomStringConvertible {
  /// Nothing.
  case null
  /// A 64-bit integer; also how SQLite keeps booleans.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text. Text that holds a zero byte is recorded as bytes.
  case text(String)
  /// Bytes.
  case bytes([UInt8])

  /// As an SQL literal, as SQLite's `quote` writes it.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text):
      "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    case .bytes(let bytes): "X'" + bytes.map { Self.hex($0) }.joined() + "'"
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = Array("0123456789ABCDEF")
    return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
  }

  /// The expression that records a column: a literal, also of text that `quote` would cut at a zero byte.
  static func recording(_ column: String) -> String {
    "CASE WHEN typeof(\(column)) = 'text' AND instr(\(column), char(0)) > 0"
      + " THEN quote(CAST(\(column) AS BLOB)) ELSE quote(\(column)) END"
  }

  /// Reads a column of a statement.
  init(_ statement: Statement, _ column: Int32) {
    switch statement.type(column) {
    case .null: self = .null
    case .integer: self = .integer(statement.int64(column))
    case .real: self = .real(statement.double(column))
    case .text: self = .text(statement.string(column))
    case .blob: self = .bytes(statement.bytes(column))
    }
  }

  /// Reads a list of literals that commas separate, as the triggers record it; nil where it is not one.
  static func list(_ text: String) -> [HistoryValue]? {
    var reader = LiteralReader(text)
    return reader.list()
  }
}

/// Reads SQL literals. What a trigger did not write is refused, never trapped on.
private struct LiteralReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func list() -> [HistoryValue]? {
    var values: [HistoryValue] = []
    while true {
      guard let value = value() else { return nil }
      values.append(value)
      if position == bytes.count { return values }
      guard bytes[position] == UInt8(ascii: ",") else { return nil }
      position += 1
    }
  }

  private mutating func value() -> HistoryValue? {
    guard position < bytes.count else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "'"): return quoted().map { .text(String(decoding: $0, as: UTF8.self)) }
    case UInt8(ascii: "X"):
      position += 1
      return quoted().flatMap(Self.unhex).map { .bytes($0) }
    default: return bare()
    }
  }

  private mutating func quoted() -> [UInt8]? {
    let quote = UInt8(ascii: "'")
    guard position < bytes.count, bytes[position] == quote else { return nil }
    position += 1
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == quote {
        guard position < bytes.count, bytes[position] == quote else { return text }
        position += 1
      }
      text.append(byte)
    }
    return nil
  }

  private mutating func bare() -> HistoryValue? {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: ",") { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    if word == "NULL" { return .null }
    if let number = Int64(word) { return .integer(number) }
    // SQLite writes infinity as a number that is too large.
    if word.hasPrefix("9.0e+999") { return .real(.infinity) }
    if word.hasPrefix("-9.0e+999") { return .real(-.infinity) }
    return Double(word).map { .real($0) }
  }

  private static func unhex(_ digits: [UInt8]) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
