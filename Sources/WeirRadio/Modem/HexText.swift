/// Bytes as hexadecimal digits.
enum HexText {
  private static let symbols = Array("0123456789ABCDEF".utf8)

  /// Two digits a byte, in upper case.
  static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var digits: [UInt8] = []
    for byte in bytes {
      digits.append(symbols[Int(byte >> 4)])
      digits.append(symbols[Int(byte & 15)])
    }
    return digits
  }

  /// The bytes of digits; nil when there is an odd one, or what is none.
  static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = value(digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }

  /// Whether `part` stands anywhere in `whole`.
  static func holds(_ whole: some Collection<UInt8>, _ part: some Collection<UInt8>) -> Bool {
    var rest = whole[...]
    while rest.count >= part.count {
      if rest.starts(with: part) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
