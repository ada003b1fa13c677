/// The framing of KISS: frames stand between 0xC0, and 0xDB escapes both.
enum KissFraming {
  static let end: UInt8 = 0xC0
  static let escape: UInt8 = 0xDB
  static let escapedEnd: UInt8 = 0xDC
  static let escapedEscape: UInt8 = 0xDD

  /// A frame on the line.
  static func frame(type: UInt8, _ body: [UInt8]) -> [UInt8] {
    var bytes = [end]
    for byte in [type] + body {
      switch byte {
      case end: bytes += [escape, escapedEnd]
      case escape: bytes += [escape, escapedEscape]
      default: bytes.append(byte)
      }
    }
    bytes.append(end)
    return bytes
  }
}
