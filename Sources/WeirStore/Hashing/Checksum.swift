/// CRC-32 (the one of zlib and Ethernet) over a row, against bit rot that SQLite does not see (storage spec E8).
public struct Checksum: Sendable {
  /// Eight tables of 256, one after the other: table k holds the effect of a byte k places ahead, so that eight bytes
  /// go in one step.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for index in 0..<256 {
      tables[index] = (0..<8).reduce(UInt32(index)) { value, _ in
        value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
      }
    }
    for index in 256..<tables.count {
      let before = tables[index - 256]
      tables[index] = tables[Int(before & 0xff)] ^ (before >> 8)
    }
    return tables
  }()

  private var state: UInt32 = 0xFFFF_FFFF

  /// A checksum of nothing yet.
  public init() {}

  /// The checksum of everything added so far.
  public var value: UInt32 { ~state }

  /// Adds bytes as they are.
  public mutating func add(raw bytes: UnsafeRawBufferPointer) {
    Self.tables.withUnsafeBufferPointer { tables in
      var index = 0
      while index + 8 <= bytes.count {
        add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)), tables)
        index += 8
      }
      while index < bytes.count {
        state = tables[Int((state ^ UInt32(bytes[index])) & 0xff)] ^ (state >> 8)
        index += 1
      }
    }
  }

  /// Adds a number, as eight bytes, lowest first.
  public mutating func add(_ number: Int64) {
    Self.tables.withUnsafeBufferPointer { add(UInt64(bitPattern: number), $0) }
  }

  /// Adds four numbers as `add` does one after the other.
  public mutating func add(_ first: Int64, _ second: Int64, _ third: Int64, _ fourth: Int64) {
    Self.tables.withUnsafeBufferPointer { tables in
      add(UInt64(bitPattern: first), tables)
      add(UInt64(bitPattern: second), tables)
      add(UInt64(bitPattern: third), tables)
      add(UInt64(bitPattern: fourth), tables)
    }
  }

  @inline(__always)
  private mutating func add(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) {
    let word = word ^ UInt64(state)
    state =
      tables[0x700 + Int(word & 0xff)] ^ tables[0x600 + Int(word >> 8 & 0xff)]
      ^ tables[0x500 + Int(word >> 16 & 0xff)] ^ tables[0x400 + Int(word >> 24 & 0xff)]
    state ^=
      tables[0x300 + Int(word >> 32 & 0xff)] ^ tables[0x200 + Int(word >> 40 & 0xff)]
      ^ tables[0x100 + Int(word >> 48 & 0xff)] ^ tables[Int(word >> 56)]
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
