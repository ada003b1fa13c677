import WeirStore

/// A client or server id as the store keeps it: 16 bytes when it is 32 lower-case hexadecimal digits, else the text.
///
/// SQLite holds bytes and text apart even when their bytes agree, so no two ids share a stored form. Texts sort before
/// packed ids; within each the order is that of the ids.
enum StoredID: Sendable, Equatable, Comparable {
  case packed(PackedID)
  case text(String)

  init(_ id: String) {
    var id = id
    let packed = id.withUTF8 { PackedID(digits: $0) }
    self = packed.map { .packed($0) } ?? .text(id)
  }

  /// Reads a column.
  init(_ statement: Statement, _ column: Int32) {
    guard statement.type(column) == .blob else {
      self = .text(statement.string(column))
      return
    }
    // Bytes of another number are damage, which the checksum of the row reveals.
    self = .packed(statement.withBytes(column) { PackedID(bytes: $0) } ?? PackedID(high: 0, low: 0))
  }

  /// Compares bytes, as SQLite does.
  static func == (left: StoredID, right: StoredID) -> Bool {
    switch (left, right) {
    case (.packed(let left), .packed(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8Equals(right)
    default: false
    }
  }

  /// The order of SQLite.
  static func < (left: StoredID, right: StoredID) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): left.utf8Precedes(right)
    case (.packed(let left), .packed(let right)): left < right
    case (.text, .packed): true
    case (.packed, .text): false
    }
  }

  /// The id itself.
  var string: String {
    switch self {
    case .text(let text): text
    case .packed(let id): id.string
    }
  }

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .packed(let id): id.withBytes { statement.bind($0, at: index) }
    case .text(let text): statement.bind(text, at: index)
    }
  }

  func add(to checksum: inout Checksum) {
    switch self {
    case .packed(let id):
      checksum.add(16)
      id.withBytes { checksum.add(raw: $0) }
    case .text(let text): checksum.add(text)
    }
  }
}

/// The 16 bytes that 32 hexadecimal digits stand for, as two numbers, so that an id needs no memory of its own.
struct PackedID: Sendable, Equatable, Comparable {
  /// The first eight bytes, the first of them highest.
  let high: UInt64
  /// The last eight bytes.
  let low: UInt64

  init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// The bytes as they are stored; nil unless they are 16.
  init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// The value of 32 lower-case digits; nil for anything else.
  init?(digits: UnsafeBufferPointer<UInt8>) {
    guard digits.count == 32, let base = digits.baseAddress else { return nil }
    let bytes = UnsafeRawPointer(base)
    guard let first = Self.value(bytes), let second = Self.value(bytes + 8), let third = Self.value(bytes + 16),
      let fourth = Self.value(bytes + 24)
    else { return nil }
    self.init(high: first << 32 | second, low: third << 32 | fourth)
  }

  static func < (left: PackedID, right: PackedID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  /// The 32 digits.
  var string: String {
    String(unsafeUninitializedCapacity: 32) { digits in
      for index in 0..<32 {
        let half = index < 16 ? high : low
        digits[index] = Self.digit(UInt8(truncatingIfNeeded: half >> UInt64((15 - index & 15) * 4)) & 15)
      }
      return 32
    }
  }

  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }

  /// The value of eight lower-case digits, all at once: the bytes of a word are looked at side by side.
  private static func value(_ digits: UnsafeRawPointer) -> UInt64? {
    let word = UInt64(bigEndian: digits.loadUnaligned(as: UInt64.self))
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Letters have this bit, figures have not.
    let letters = word >> 6 & ones
    let low = word & (ones &* 0x0F)
    let isKind = word & (ones &* 0xF0) == (ones &* 0x30) ^ (letters &* 0x50)
    // A figure is at most 9, a letter from 1 to 6; what is more carries into the next half of its byte.
    let isMore = (low &+ ones &* 6 &+ letters &* 3) & (ones &* 0x10)
    let isLess = ~(low &+ ones &* 0x0F) & (letters &* 0x10)
    guard isKind, isMore | isLess == 0 else { return nil }
    var value = low &+ letters &* 9
    value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
    value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
    return (value | value >> 16) & 0xFFFF_FFFF
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value &+ UInt8(ascii: "0") : value &- 10 &+ UInt8(ascii: "a")
  }
}
