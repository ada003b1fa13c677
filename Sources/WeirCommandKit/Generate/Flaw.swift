/// Ways in which a generated line is no message. Each is refused by any careful decoder: none is a message with a
/// merely unusual content, which must be kept.
public enum Flaw: String, CaseIterable, Sendable {
  /// JSON that stops in the middle.
  case truncated
  /// Bytes that are not UTF-8 inside a string.
  case invalidUTF8
  /// A member that every message has, with a value of another type.
  case wrongType
  /// No `clientMsgID`.
  case missingID
  /// Brackets or objects hundreds or thousands deep.
  case deepNesting
  /// No JSON: a log line, a page of HTML, random bytes.
  case garbage

  /// A line with this flaw, without line break, made from a good one.
  func spoil(_ line: [UInt8], using random: inout SeededRandom) -> [UInt8] {
    switch self {
    case .truncated:
      return Array(line.prefix(1 + random.below(max(1, line.count - 1))))
    case .invalidUTF8:
      let bytes: [[UInt8]] = [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE4, 0xBD]]
      return Self.replaceValue(of: "sendID", in: line, with: [0x22] + random.pick(bytes) + [0x22])
    case .wrongType:
      let (name, value) = random.pick([
        ("clientMsgID", "12345"), ("clientMsgID", "{\"id\":1}"), ("clientMsgID", "[]"), ("sendTime", "\"yesterday\""),
        ("sendTime", "{}"), ("contentType", "[101]"), ("contentType", "true"), ("seq", "\"many\""),
      ])
      return Self.replaceValue(of: name, in: line, with: Array(value.utf8))
    case .missingID:
      return Self.replaceValue(of: "clientMsgID", in: line, with: Array("\"\"".utf8))
    case .deepNesting:
      let depth = 600 + random.below(2_400)
      let (opening, core, closing) = random.pick([("[", "", "]"), ("{\"a\":", "1", "}")])
      return Array((String(repeating: opening, count: depth) + core + String(repeating: closing, count: depth)).utf8)
    case .garbage:
      switch random.below(4) {
      case 0: return Array("<html><head><title>502 Bad Gateway</title></head></html>".utf8)
      case 1: return Array("2025-06-15T12:00:00Z WARN push worker \(random.below(64)): connection reset by peer".utf8)
      case 2: return Array("}{,:\"".utf8)
      default:
        let noise = (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return [0x00] + noise.filter { $0 != UInt8(ascii: "\n") }
      }
    }
  }

  /// Replaces the value of the first member of that name; strings there hold no escapes. The line itself when there is
  /// no such member.
  private static func replaceValue(of name: String, in line: [UInt8], with value: [UInt8]) -> [UInt8] {
    let key = Array("\"\(name)\":".utf8)
    guard let found = line.indices.first(where: { line[$0...].starts(with: key) }) else { return line }
    let start = found + key.count
    let isString = line[start] == UInt8(ascii: "\"")
    let rest = line[(start + 1)...]
    let stop = rest.firstIndex { isString ? $0 == UInt8(ascii: "\"") : $0 == UInt8(ascii: ",") } ?? rest.endIndex
    return Array(line[..<start]) + value + Array(line[min(rest.endIndex, stop + (isString ? 1 : 0))...])
  }
}
