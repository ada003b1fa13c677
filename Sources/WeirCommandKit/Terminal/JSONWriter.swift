/// Writes JSON text into a byte buffer; commas are placed by looking at the last byte written.
///
/// Strings are escaped so that the text is valid JSON (RFC 8259) and inert on a terminal: besides the quotation mark,
/// the backslash and U+0000–U+001F it escapes U+007F–U+009F, whose bytes some terminals obey.
public struct JSONWriter: Sendable {
  /// The text so far.
  public private(set) var bytes: [UInt8] = []

  /// An empty writer with room for `capacity` bytes.
  public init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  /// The text so far, as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Forgets the text and keeps its storage.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// `{`
  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  /// `}`
  public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

  /// `[`
  public mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  /// `]`
  public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  /// A line break between top-level values (JSON lines).
  public mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

  /// A member's name; its value must follow.
  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
  }

  /// A string value.
  public mutating func string(_ value: String) {
    separate()
    var value = value
    value.withUTF8 { quote($0) }
  }

  /// A string value from bytes that are known to be UTF-8.
  public mutating func string(validUTF8 value: [UInt8]) {
    separate()
    value.withUnsafeBufferPointer { quote($0) }
  }

  /// A value that is JSON text already, such as another writer's; it is not checked.
  public mutating func verbatim(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// A whole number, in full.
  public mutating func integer(_ value: some FixedWidthInteger) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest != 0
    bytes[start...].reverse()
  }

  /// A number; `null` when it is infinite or not a number, which JSON cannot say.
  public mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// `true` or `false`.
  public mutating func boolean(_ value: Bool) {
    separate()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// `null`
  public mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// A member with a string value.
  public mutating func field(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  /// A member with a whole number.
  public mutating func field(_ name: String, _ value: some FixedWidthInteger) {
    key(name)
    integer(value)
  }

  /// A member with a number.
  public mutating func field(_ name: String, _ value: Double) {
    key(name)
    number(value)
  }

  /// A member that is true or false.
  public mutating func field(_ name: String, _ value: Bool) {
    key(name)
    boolean(value)
  }

  /// A comma, unless the value is the first one in its place: every value ends in a byte that starts none.
  private mutating func separate() {
    guard let last = bytes.last else { return }
    switch last {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): return
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  private mutating func quote(_ utf8: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    var runStart = 0
    var index = 0
    while index < utf8.count {
      let byte = utf8[index]
      let isC1 = byte == 0xC2 && index + 1 < utf8.count && utf8[index + 1] < 0xA0
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F || isC1 else {
        index += 1
        continue
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[runStart..<index]))
      escape(isC1 ? utf8[index + 1] : byte)
      index += isC1 ? 2 : 1
      runStart = index
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[runStart...]))
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ scalar: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch scalar {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(scalar)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      for digit in [scalar >> 4, scalar & 15] {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
