/// Why bytes are not the JSON that was expected. Every case carries the byte offset where reading stopped.
public enum JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The input ends inside a value.
  case unexpectedEnd(offset: Int)
  /// A byte that cannot stand here.
  case unexpectedByte(UInt8, offset: Int)
  /// Bytes that are not UTF-8.
  case invalidUTF8(offset: Int)
  /// A backslash sequence that JSON does not have.
  case invalidEscape(offset: Int)
  /// A `\u` escape for half of a surrogate pair, without its other half.
  case loneSurrogate(offset: Int)
  /// A control character that must be escaped.
  case controlCharacter(offset: Int)
  /// A number not written as JSON demands.
  case invalidNumber(offset: Int)
  /// An integer outside the range of the field.
  case numberOutOfRange(offset: Int)
  /// Objects and arrays nested deeper than the limit.
  case tooDeep(limit: Int, offset: Int)
  /// Something follows the value.
  case trailingBytes(offset: Int)
  /// Valid JSON of another type than the field has.
  case typeMismatch(expected: String, offset: Int)

  /// Stable code of the case.
  public var code: String {
    switch self {
    case .unexpectedEnd: "json.unexpected-end"
    case .unexpectedByte: "json.unexpected-byte"
    case .invalidUTF8: "json.invalid-utf8"
    case .invalidEscape: "json.invalid-escape"
    case .loneSurrogate: "json.lone-surrogate"
    case .controlCharacter: "json.control-character"
    case .invalidNumber: "json.invalid-number"
    case .numberOutOfRange: "json.number-out-of-range"
    case .tooDeep: "json.too-deep"
    case .trailingBytes: "json.trailing-bytes"
    case .typeMismatch: "json.type-mismatch"
    }
  }

  /// Where reading stopped, in bytes from the start of the input.
  public var offset: Int {
    switch self {
    case .unexpectedEnd(let offset), .unexpectedByte(_, let offset), .invalidUTF8(let offset),
      .invalidEscape(let offset), .loneSurrogate(let offset), .controlCharacter(let offset),
      .invalidNumber(let offset), .numberOutOfRange(let offset), .tooDeep(_, let offset), .trailingBytes(let offset),
      .typeMismatch(_, let offset):
      offset
    }
  }

  /// The case in words, with the offset.
  public var description: String {
    let what: String =
      switch self {
      case .unexpectedEnd: "the text ends inside a value"
      case .unexpectedByte(let byte, _): "unexpected byte 0x\(String(byte, radix: 16))"
      case .invalidUTF8: "bytes that are not UTF-8"
      case .invalidEscape: "unknown escape sequence"
      case .loneSurrogate: "half of a surrogate pair"
      case .controlCharacter: "control character that is not escaped"
      case .invalidNumber: "malformed number"
      case .numberOutOfRange: "number out of range"
      case .tooDeep(let limit, _): "nested deeper than \(limit) levels"
      case .trailingBytes: "something follows the value"
      case .typeMismatch(let expected, _): "expected \(expected)"
      }
    return "\(what) at byte \(offset)"
  }
}
