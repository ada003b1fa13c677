import WeirStore

/// A client or server id as the store keeps it: 16 bytes when it is 32 lower-case hexadecimal digits, else the text.
///
/// SQLite holds bytes and text apart even when their bytes agree, so no two ids share a stored form. Texts sort before
/// packed ids; within each the order is that of the ids.
enum StoredID: Sendable, Equatable {
  case packed([UInt8])
  case text(String)

  init(_ id: String) {
    var id = id
    let bytes = id.withUTF8 { Self.pack($0) }
    self = bytes.map { .packed($0) } ?? .text(id)
  }

  /// Reads a column.
  init(_ statement: Statement, _ column: Int32) {
    if statement.type(column) == .blob {
      self = .packed(statement.bytes(column))
    } else {
      self = .text(statement.string(column))
    }
  }

  /// The id itself.
  var string: String {
    switch self {
    case .text(let text): return text
    case .packed(let bytes):
      return String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
        for (index, byte) in bytes.enumerated() {
          digits[index * 2] = Self.digit(byte >> 4)
          digits[index * 2 + 1] = Self.digit(byte & 15)
        }
        return bytes.count * 2
      }
    }
  }

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .packed(let bytes): statement.bind(bytes, at: index)
    case .text(let text): statement.bind(text, at: index)
    }
  }

  func add(to checksum: inout Checksum) {
    switch self {
    case .packed(let bytes): checksum.add(bytes)
    case .text(let text): checksum.add(text)
    }
  }

  private static func pack(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count == 32 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    for (index, digit) in digits.enumerated() {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit &- UInt8(ascii: "a") &+ 10
      default: return nil
      }
      bytes[index / 2] = bytes[index / 2] << 4 | value
    }
    return bytes
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value &+ UInt8(ascii: "0") : value &- 10 &+ UInt8(ascii: "a")
  }
}
