/// What each system on the way says of a trace: up to 32 members `key=value`, most recent first (W3C Trace Context §3.3).
public struct TraceState: Sendable, Hashable, CustomStringConvertible {
  /// One member.
  public struct Member: Sendable, Hashable {
    public let key: String
    public let value: String
  }

  /// Most members of a list, by the standard.
  public static let limit = 32

  /// Most recent first; no key twice.
  public private(set) var members: [Member] = []

  /// An empty list.
  public init() {}

  /// Reads the values of all `tracestate` headers, in order. A list that is not valid as a whole is dropped as a whole.
  public init(headers: [String]) {
    var seen: Set<String> = []
    var members: [Member] = []
    for text in headers.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: true) }) {
      let member = text.trimmingSpaces()
      if member.isEmpty { continue }
      guard let equals = member.firstIndex(of: "=") else { return }
      let key = String(member[..<equals])
      let value = String(member[member.index(after: equals)...])
      guard TraceState.isKey(key), TraceState.isValue(value), seen.insert(key).inserted,
        members.count < TraceState.limit
      else { return }
      members.append(Member(key: key, value: value))
    }
    self.members = members
  }

  public var isEmpty: Bool { members.isEmpty }

  /// As the header's value.
  public var description: String { members.map { "\($0.key)=\($0.value)" }.joined(separator: ",") }

  /// The value of a key.
  public subscript(key: String) -> String? { members.first { $0.key == key }?.value }

  /// With one member set and moved to the front; the oldest leaves where there would be too many. A key or value that the
  /// standard does not allow changes nothing.
  public func setting(_ key: String, to value: String) -> TraceState {
    guard TraceState.isKey(key), TraceState.isValue(value) else { return self }
    var next = self
    next.members.removeAll { $0.key == key }
    next.members.insert(Member(key: key, value: value), at: 0)
    next.members = Array(next.members.prefix(TraceState.limit))
    return next
  }

  /// A key begins with a lower-case letter, or is `tenant@system`, where the tenant may begin with a digit; at most 256.
  private static func isKey(_ key: String) -> Bool {
    let parts = key.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return isKeyPart(parts[0], atMost: 256, digitFirst: false)
    case 2:
      return isKeyPart(parts[0], atMost: 241, digitFirst: true) && isKeyPart(parts[1], atMost: 14, digitFirst: false)
    default: return false
    }
  }

  private static func isKeyPart(_ part: Substring.UTF8View, atMost limit: Int, digitFirst: Bool) -> Bool {
    guard let first = part.first, part.count <= limit else { return false }
    guard isLetter(first) || (digitFirst && isDigit(first)) else { return false }
    return part.allSatisfy { byte in
      isLetter(byte) || isDigit(byte) || "_-*/".utf8.contains(byte)
    }
  }

  /// Printable ASCII without comma and equals sign, not ending in a space; 1 to 256.
  private static func isValue(_ value: String) -> Bool {
    guard let last = value.utf8.last, value.utf8.count <= 256, last != UInt8(ascii: " ") else { return false }
    return value.utf8.allSatisfy { byte in
      (0x20...0x7e).contains(byte) && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "=")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension Substring {
  /// Without the spaces and tabs around it, which lists may have between their members.
  fileprivate func trimmingSpaces() -> Substring {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
