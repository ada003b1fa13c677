/// Writes JSON objects into bytes. Members are written in the order of the calls.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  /// Writes an object whose members `members` writes.
  mutating func object(_ members: (inout JSONWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    members(&self)
    bytes.append(UInt8(ascii: "}"))
    isFirst = false
  }

  mutating func member(_ key: String, _ value: String) {
    begin(key)
    string(value)
  }

  mutating func member(_ key: String, _ value: Int64) {
    begin(key)
    bytes += String(value).utf8
  }

  mutating func member(_ key: String, _ values: [String]) {
    begin(key)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      string(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// JSON has no number that is not finite: such a one is written as 0.
  mutating func member(_ key: String, _ value: Double) {
    begin(key)
    bytes += String(value.isFinite ? value : 0).utf8
  }

  /// A value that is JSON already.
  mutating func member(_ key: String, json: [UInt8]) {
    begin(key)
    bytes += json
  }

  /// An array with an object for each element.
  mutating func member<Element>(_ key: String, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void) {
    begin(key)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      object { write(element, &$0) }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func member(_ key: String, _ members: (inout JSONWriter) -> Void) {
    begin(key)
    object(members)
  }

  private mutating func begin(_ key: String) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    string(key)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u00".utf8
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
