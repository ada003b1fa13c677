/// Text for bytes that are compiled in.
enum Base64 {
  /// The bytes of a text in which line breaks and padding do not count; nil when it holds anything else.
  static func decode(_ text: StaticString) -> [UInt8]? {
    text.withUTF8Buffer { letters in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(letters.count * 3 / 4)
      var (bits, count) = (UInt32(0), 0)
      for letter in letters where letter != 0x0A && letter != 0x3D {
        guard let value = value(letter) else { return nil }
        bits = bits << 6 | UInt32(value)
        count += 6
        if count >= 8 {
          count -= 8
          bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
      }
      return bytes
    }
  }

  private static func value(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 0x41...0x5A: letter - 0x41
    case 0x61...0x7A: letter - 0x61 + 26
    case 0x30...0x39: letter - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
