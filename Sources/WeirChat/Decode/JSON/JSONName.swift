/// The key of a member, to be matched against literals without making a string:
/// `switch name { case "seq": …; default: … }`. Valid only while the bytes it was read from are.
struct JSONName {
  private let text: JSONText
  private let bytes: UnsafeBufferPointer<UInt8>

  init(_ text: JSONText, in bytes: UnsafeBufferPointer<UInt8>) {
    self.text = text
    self.bytes = bytes
  }

  /// The key as a string.
  var string: String { text.string(in: bytes) }

  /// Whether the key is `word`. Escapes are resolved: `"\u0073eq"` is `seq`.
  static func ~= (word: StaticString, name: JSONName) -> Bool {
    if name.text.isEscaped { return name.text.unescaped(in: name.bytes).elementsEqual(word.buffer) }
    let range = name.text.range
    guard range.count == word.utf8CodeUnitCount else { return false }
    let start = word.utf8Start
    for index in 0..<range.count where name.bytes[range.lowerBound + index] != start[index] { return false }
    return true
  }
}

extension StaticString {
  fileprivate var buffer: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

extension JSONReader {
  /// As `nextKey`, for a `switch` over literals.
  mutating func nextName() throws(JSONError) -> JSONName? {
    guard let key = try nextKey() else { return nil }
    return JSONName(key, in: bytes)
  }

  /// Consumes `null`, which stands for a value that was not set.
  mutating func skipNull() throws(JSONError) -> Bool {
    guard try peek() == UInt8(ascii: "n") else { return false }
    try skipValue()
    return true
  }

  /// An array of strings; `null` reads as the empty one.
  mutating func strings() throws(JSONError) -> [String] {
    var result: [String] = []
    if try skipNull() { return result }
    try beginArray()
    while try nextElement() { result.append(try string()) }
    return result
  }

  /// An array of whole numbers; `null` reads as the empty one.
  mutating func int64s(acceptsText: Bool = false) throws(JSONError) -> [Int64] {
    var result: [Int64] = []
    if try skipNull() { return result }
    try beginArray()
    while try nextElement() { result.append(try int64(acceptsText: acceptsText)) }
    return result
  }
}
