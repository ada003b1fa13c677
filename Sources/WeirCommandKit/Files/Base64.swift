/// Standard base64 with padding (RFC 4648 §4).
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The encoding of `bytes` as ASCII.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let available = min(3, bytes.count - index)
      var group = UInt32(bytes[index]) << 16
      if available > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if available > 2 { group |= UInt32(bytes[index + 2]) }
      for position in 0..<4 {
        let digit = Int(group >> (18 - 6 * UInt32(position)) & 63)
        text.append(position <= available ? alphabet[digit] : UInt8(ascii: "="))
      }
      index += 3
    }
    return text
  }
}
