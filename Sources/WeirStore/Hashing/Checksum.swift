/// CRC-32 (the one of zlib and Ethernet) over a row, against bit rot that SQLite does not see (storage spec E8).
public struct Checksum: Sendable {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  private var state: UInt32 = 0xFFFF_FFFF

  /// A checksum of nothing yet.
  public init() {}

  /// The checksum of everything added so far.
  public var value: UInt32 { ~state }

  /// Adds bytes as they are.
  public mutating func add(raw bytes: UnsafeRawBufferPointer) {
    var state = state
    Self.table.withUnsafeBufferPointer { table in
      var index = 0
      while index < bytes.count {
        state = table[Int((state ^ UInt32(bytes[index])) & 0xff)] ^ (state >> 8)
        index += 1
      }
    }
    self.state = state
  }

  /// Adds a number, as eight bytes, lowest first.
  public mutating func add(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { add(raw: $0) }
  }

  /// Adds bytes with their length, so that neighbours cannot run together.
  public mutating func add(_ bytes: [UInt8]) {
    add(Int64(bytes.count))
    bytes.withUnsafeBytes { add(raw: $0) }
  }

  /// Adds text with its length in UTF-8.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 {
      add(Int64($0.count))
      add(raw: UnsafeRawBufferPointer($0))
    }
  }
}
