/// Where a checked JSON string stands in the bytes, without its quotes.
struct JSONText {
  let range: Range<Int>
  /// Whether it holds backslash sequences, so that its value differs from its bytes.
  let isEscaped: Bool

  /// The value, as a string. The bytes must be those the text was read from.
  func string(in bytes: UnsafeBufferPointer<UInt8>) -> String {
    if isEscaped { return String(decoding: unescaped(in: bytes), as: UTF8.self) }
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  /// The value, as UTF-8. The escapes were checked when the text was read.
  func unescaped(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard isEscaped else { return [UInt8](bytes[range]) }
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        index += 1
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "n"): result.append(0x0a)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "r"): result.append(0x0d)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0c)
      case UInt8(ascii: "u"):
        var unit = Self.hexadecimal(bytes, index + 2)
        index += 4
        if (0xD800..<0xDC00).contains(unit) {
          unit = 0x10000 + (unit - 0xD800) << 10 + (Self.hexadecimal(bytes, index + 4) &- 0xDC00)
          index += 6
        }
        Self.append(unit, to: &result)
      case let other: result.append(other)
      }
      index += 2
    }
    return result
  }

  /// The number of four hexadecimal digits, checked before.
  private static func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | (hexDigit(bytes[index + $1]) ?? 0) }
  }

  /// The value of one hexadecimal digit.
  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte &- UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte &- UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte &- UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  private static func append(_ scalar: UInt32, to result: inout [UInt8]) {
    let value = Unicode.Scalar(scalar) ?? "\u{FFFD}"
    result.append(contentsOf: String(value).utf8)
  }
}

/// Runs over the inside of a JSON string up to its closing quote.
struct JSONTextScanner {
  let bytes: UnsafeBufferPointer<UInt8>
  var offset: Int
  let end: Int

  /// Consumes the string and its closing quote; true when it holds backslash sequences.
  mutating func scan() throws(JSONError) -> Bool {
    var isEscaped = false
    while true {
      skipPlain()
      guard offset < end else { throw .unexpectedEnd(offset: offset) }
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") {
        offset += 1
        return isEscaped
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        try escape()
      } else if byte < 0x20 {
        throw .controlCharacter(offset: offset)
      } else if byte < 0x80 {
        offset += 1
      } else {
        try multibyte(byte)
      }
    }
  }

  /// Skips ASCII that needs no look, eight bytes at a time. The masks mark the high bit of each byte that is a quote, a
  /// backslash, below 0x20 or above 0x7f; only the lowest mark is exact, and only that one is used.
  private mutating func skipPlain() {
    guard let base = bytes.baseAddress else { return }
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    while offset + 8 <= end {
      let word = UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5c)
      let control = (word &- (ones &* 0x20)) & ~word
      let marks = (((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | control | word) & highs
      if marks == 0 {
        offset += 8
      } else {
        offset += marks.trailingZeroBitCount >> 3
        return
      }
    }
  }

  private mutating func escape() throws(JSONError) {
    let start = offset
    guard offset + 1 < end else { throw .unexpectedEnd(offset: end) }
    switch bytes[offset + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit()
      if (0xDC00..<0xE000).contains(unit) { throw .loneSurrogate(offset: start) }
      guard (0xD800..<0xDC00).contains(unit) else { return }
      guard offset + 1 < end, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u") else {
        throw .loneSurrogate(offset: start)
      }
      guard (0xDC00..<0xE000).contains(try codeUnit()) else { throw .loneSurrogate(offset: start) }
    default: throw .invalidEscape(offset: start)
    }
  }

  /// Consumes `\u` and four digits.
  private mutating func codeUnit() throws(JSONError) -> UInt32 {
    let start = offset
    var value: UInt32 = 0
    for index in (start + 2)..<(start + 6) {
      guard index < end else { throw .unexpectedEnd(offset: end) }
      guard let digit = JSONText.hexDigit(bytes[index]) else { throw .invalidEscape(offset: start) }
      value = value << 4 | digit
    }
    offset = start + 6
    return value
  }

  /// Consumes one sequence of two to four bytes (Unicode standard, table 3-7).
  private mutating func multibyte(_ first: UInt8) throws(JSONError) {
    let start = offset
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: throw .invalidUTF8(offset: start)
    }
    guard start + length <= end else { throw .invalidUTF8(offset: start) }
    guard second.contains(bytes[start + 1]) else { throw .invalidUTF8(offset: start) }
    for index in (start + 2)..<max(start + length, start + 2) {
      guard bytes[index] & 0xC0 == 0x80 else { throw .invalidUTF8(offset: start) }
    }
    offset = start + length
  }
}
