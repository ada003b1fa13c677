/// Reads one JSON text from bytes, front to back, without building a tree.
///
/// The caller asks for what it expects: `beginObject` and `nextKey`, `beginArray` and `nextElement`, `string`,
/// `int64`, `bool`, or `skipValue` for what it does not know. Everything is checked against RFC 8259, skipped values
/// included: UTF-8, escapes, surrogate pairs, number grammar, nesting. It is valid only while the bytes are
/// (`withUnsafeBufferPointer`), and allocates nothing but the strings asked for.
struct JSONReader {
  /// Deepest nesting of objects and arrays. Merged messages nest three levels for each level of forwarding.
  static let defaultDepthLimit = 128

  let bytes: UnsafeBufferPointer<UInt8>
  private(set) var offset: Int
  private let end: Int
  private let depthLimit: Int
  private var depth = 0
  /// Whether the latest thing read is the bracket that opened a container, after which no comma may come.
  private var justOpened = false

  /// A reader of the bytes in `range` (all by default).
  init(_ bytes: UnsafeBufferPointer<UInt8>, range: Range<Int>? = nil, depthLimit: Int = defaultDepthLimit) {
    self.bytes = bytes
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    offset = range.lowerBound
    end = range.upperBound
    self.depthLimit = depthLimit
  }

  // MARK: Structure

  /// The first byte of the next value, not consumed.
  mutating func peek() throws(JSONError) -> UInt8 {
    skipWhitespace()
    guard offset < end else { throw .unexpectedEnd(offset: offset) }
    return bytes[offset]
  }

  /// Consumes `{`.
  mutating func beginObject() throws(JSONError) {
    try open(UInt8(ascii: "{"), "an object")
  }

  /// Consumes up to the value of the next member and returns its key; nil after consuming `}`.
  mutating func nextKey() throws(JSONError) -> JSONText? {
    guard try more(UInt8(ascii: "}")) else { return nil }
    guard try peek() == UInt8(ascii: "\"") else { throw .unexpectedByte(bytes[offset], offset: offset) }
    let key = try text()
    let colon = try peek()
    guard colon == UInt8(ascii: ":") else { throw .unexpectedByte(colon, offset: offset) }
    offset += 1
    return key
  }

  /// Consumes `[`.
  mutating func beginArray() throws(JSONError) {
    try open(UInt8(ascii: "["), "an array")
  }

  /// Consumes up to the next element; false after consuming `]`.
  mutating func nextElement() throws(JSONError) -> Bool {
    try more(UInt8(ascii: "]"))
  }

  /// Demands that only white space is left.
  mutating func finish() throws(JSONError) {
    skipWhitespace()
    guard offset == end else { throw .trailingBytes(offset: offset) }
  }

  private mutating func open(_ bracket: UInt8, _ expected: String) throws(JSONError) {
    guard try peek() == bracket else { throw try mismatch(expected) }
    depth += 1
    guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit, offset: offset) }
    offset += 1
    justOpened = true
  }

  private mutating func more(_ closing: UInt8) throws(JSONError) -> Bool {
    let byte = try peek()
    if byte == closing {
      offset += 1
      depth -= 1
      justOpened = false
      return false
    }
    if !justOpened {
      guard byte == UInt8(ascii: ",") else { throw .unexpectedByte(byte, offset: offset) }
      offset += 1
      // A comma promises another value: `[1,]` is refused where the value is read, this refuses it with its offset.
      let next = try peek()
      guard next != closing else { throw .unexpectedByte(next, offset: offset) }
    }
    justOpened = false
    return true
  }

  // MARK: Values

  /// A string; `null` reads as the empty one, since a sender's empty value and its absence mean the same.
  mutating func string() throws(JSONError) -> String {
    let byte = try peek()
    if byte == UInt8(ascii: "\"") { return try text().string(in: bytes) }
    guard byte == UInt8(ascii: "n") else { throw try mismatch("a string") }
    try literal("null")
    return ""
  }

  /// A string, only checked and located: the caller reads it with `JSONText`. `null` and anything but a string is nil.
  mutating func located() throws(JSONError) -> JSONText? {
    guard try peek() == UInt8(ascii: "\"") else {
      try skipValue()
      return nil
    }
    return try text()
  }

  /// A whole number; `null` reads as 0. With `acceptsText` it may stand in quotes, as Protobuf's JSON writes 64 bits.
  mutating func int64(acceptsText: Bool = false) throws(JSONError) -> Int64 {
    let first = try peek()
    if first == UInt8(ascii: "n") {
      try literal("null")
      return 0
    }
    if acceptsText && first == UInt8(ascii: "\"") {
      let start = offset
      let text = try self.text()
      var inner = JSONReader(bytes, range: text.range)
      guard !text.isEscaped, let value = try? inner.int64(), (try? inner.finish()) != nil else {
        throw .typeMismatch(expected: "a whole number", offset: start)
      }
      return value
    }
    guard first == UInt8(ascii: "-") || isDigit(first) else { throw try mismatch("a whole number") }
    let start = offset
    try skipNumber()
    let isNegative = first == UInt8(ascii: "-")
    var value: Int64 = 0
    for index in (isNegative ? start + 1 : start)..<offset {
      guard isDigit(bytes[index]) else { throw .typeMismatch(expected: "a whole number", offset: start) }
      let digit = Int64(bytes[index] &- UInt8(ascii: "0"))
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = shifted.addingReportingOverflow(isNegative ? -digit : digit)
      guard !overflow, !carry else { throw .numberOutOfRange(offset: start) }
      value = sum
    }
    return value
  }

  /// A whole number of 32 bits; `null` reads as 0.
  mutating func int32() throws(JSONError) -> Int32 {
    let start = try valueOffset()
    guard let value = Int32(exactly: try int64()) else { throw .numberOutOfRange(offset: start) }
    return value
  }

  /// A number; `null` reads as 0.
  mutating func double() throws(JSONError) -> Double {
    let first = try peek()
    if first == UInt8(ascii: "n") {
      try literal("null")
      return 0
    }
    guard first == UInt8(ascii: "-") || isDigit(first) else { throw try mismatch("a number") }
    let start = offset
    try skipNumber()
    let digits = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self)
    guard let value = Double(digits), value.isFinite else { throw .numberOutOfRange(offset: start) }
    return value
  }

  /// A truth value; `null` reads as false.
  mutating func bool() throws(JSONError) -> Bool {
    switch try peek() {
    case UInt8(ascii: "t"):
      try literal("true")
      return true
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: throw try mismatch("true or false")
    }
    return false
  }

  /// Checks and skips one value and returns where it stands.
  @discardableResult
  mutating func skipValue() throws(JSONError) -> Range<Int> {
    let start = try valueOffset()
    switch bytes[start] {
    case UInt8(ascii: "\""): _ = try text()
    case UInt8(ascii: "{"):
      try beginObject()
      while try nextKey() != nil { try skipValue() }
    case UInt8(ascii: "["):
      try beginArray()
      while try nextElement() { try skipValue() }
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: try skipNumber()
    }
    return start..<offset
  }

  /// Where the next value starts.
  private mutating func valueOffset() throws(JSONError) -> Int {
    _ = try peek()
    return offset
  }

  /// The error for a value of the wrong type. A value that is malformed as well is reported as malformed.
  private mutating func mismatch(_ expected: String) throws(JSONError) -> JSONError {
    let start = offset
    try skipValue()
    return .typeMismatch(expected: expected, offset: start)
  }

  private mutating func literal(_ word: StaticString) throws(JSONError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard offset < end else { throw .unexpectedEnd(offset: offset) }
      guard bytes[offset] == word.utf8Start[index] else { throw .unexpectedByte(bytes[offset], offset: offset) }
      offset += 1
    }
  }

  private mutating func skipNumber() throws(JSONError) {
    let start = offset
    if offset < end && bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    guard offset < end else { throw .unexpectedEnd(offset: offset) }
    guard isDigit(bytes[offset]) else {
      throw offset == start ? .unexpectedByte(bytes[offset], offset: offset) : .invalidNumber(offset: start)
    }
    if bytes[offset] == UInt8(ascii: "0") {
      offset += 1
      if offset < end && isDigit(bytes[offset]) { throw .invalidNumber(offset: start) }
    } else {
      skipDigits()
    }
    if offset < end && bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      try demandDigits(start)
    }
    if offset < end && (bytes[offset] | 0x20) == UInt8(ascii: "e") {
      offset += 1
      if offset < end && (bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-")) { offset += 1 }
      try demandDigits(start)
    }
  }

  private mutating func demandDigits(_ start: Int) throws(JSONError) {
    guard offset < end else { throw .unexpectedEnd(offset: offset) }
    guard isDigit(bytes[offset]) else { throw .invalidNumber(offset: start) }
    skipDigits()
  }

  private mutating func skipDigits() {
    while offset < end && isDigit(bytes[offset]) { offset += 1 }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
  }

  /// Between most tokens stands nothing, which costs one comparison.
  @inline(__always)
  private mutating func skipWhitespace() {
    if offset < end && bytes[offset] > 0x20 { return }
    skipSeveral()
  }

  private mutating func skipSeveral() {
    while offset < end {
      switch bytes[offset] {
      case 0x20, 0x0a, 0x0d, 0x09: offset += 1
      default: return
      }
    }
  }

  /// Consumes a string that starts at `offset`, checking escapes and UTF-8.
  private mutating func text() throws(JSONError) -> JSONText {
    let start = offset + 1
    var scanner = JSONTextScanner(bytes: bytes, offset: start, end: end)
    let isEscaped = try scanner.scan()
    offset = scanner.offset
    return JSONText(range: start..<(offset - 1), isEscaped: isEscaped)
  }
}
