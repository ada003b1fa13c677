/// Takes numbers, highest byte first, from the bytes that are there and never more.
struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next number of a width in bytes.
  mutating func number(_ width: Int) throws(TransferError) -> UInt64 {
    guard rest.count >= width else { throw .malformed("a body ends within a field") }
    var value: UInt64 = 0
    for byte in rest.prefix(width) { value = value << 8 | UInt64(byte) }
    rest = rest.dropFirst(width)
    return value
  }

  mutating func byte() throws(TransferError) -> UInt8 { UInt8(truncatingIfNeeded: try number(1)) }
  mutating func short() throws(TransferError) -> UInt16 { UInt16(truncatingIfNeeded: try number(2)) }
  mutating func word() throws(TransferError) -> UInt32 { UInt32(truncatingIfNeeded: try number(4)) }

  /// All that is left.
  mutating func remaining() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Fails when something is left.
  func finish() throws(TransferError) {
    guard rest.isEmpty else { throw .malformed("a body has \(rest.count) bytes too many") }
  }
}

extension [UInt8] {
  /// Adds a number of a width in bytes, highest first.
  mutating func append(_ value: some BinaryInteger, width: Int) {
    for place in (0..<width).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
  }
}
