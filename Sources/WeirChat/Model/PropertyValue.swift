/// The stored form of a conversation's property: its number, and bytes that say all of its value and are compared when
/// two settings have the same revision.
extension ConversationFact.Property {
  /// Which property it is. Stored.
  var number: Int64 {
    switch self {
    case .showName: 1
    case .faceURL: 2
    case .receiveOption: 3
    case .isPinned: 4
    case .isPrivate: 5
    case .burnDuration: 6
    case .isNotInGroup: 7
    case .draft: 8
    case .ex: 9
    case .attachedInfo: 10
    }
  }

  /// The value.
  var bytes: [UInt8] {
    switch self {
    case .showName(let text), .faceURL(let text), .ex(let text), .attachedInfo(let text): Array(text.utf8)
    case .receiveOption(let option): Self.bytes(option.rawValue)
    case .isPinned(let flag), .isPrivate(let flag), .isNotInGroup(let flag): [flag ? 1 : 0]
    case .burnDuration(let seconds): Self.bytes(seconds)
    case .draft(let text, let time): Self.bytes(time) + Array(text.utf8)
    }
  }

  /// Reads the stored form; nil for a number or bytes that this version does not know.
  init?(number: Int64, bytes: [UInt8]) {
    switch number {
    case 1: self = .showName(Self.text(bytes[...]))
    case 2: self = .faceURL(Self.text(bytes[...]))
    case 3:
      guard let option = ConversationFact.ReceiveOption(rawValue: Self.number(bytes)) else { return nil }
      self = .receiveOption(option)
    case 4: self = .isPinned(bytes == [1])
    case 5: self = .isPrivate(bytes == [1])
    case 6: self = .burnDuration(Self.number(bytes))
    case 7: self = .isNotInGroup(bytes == [1])
    case 8: self = .draft(Self.text(bytes.dropFirst(8)), time: Self.number(bytes))
    case 9: self = .ex(Self.text(bytes[...]))
    case 10: self = .attachedInfo(Self.text(bytes[...]))
    default: return nil
    }
  }

  private static func bytes(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func number(_ bytes: [UInt8]) -> Int64 {
    Int64(bitPattern: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// The properties of a conversation as they stand.
public struct ConversationProperties: Sendable, Equatable {
  /// The name to show; empty when none was set.
  public var showName = ""
  /// The picture to show.
  public var faceURL = ""
  /// Whether new messages alert.
  public var receiveOption = ConversationFact.ReceiveOption.notify
  /// Whether it stands above the others.
  public var isPinned = false
  /// Whether its messages burn after reading, by default.
  public var isPrivate = false
  /// Seconds a private message stays after reading.
  public var burnDuration: Int64 = 0
  /// Whether the account has left the group.
  public var isNotInGroup = false
  /// An unsent text.
  public var draft = ""
  /// When the unsent text was written, in milliseconds since 1970.
  public var draftTime: Int64 = 0
  /// Application data.
  public var ex = ""
  /// JSON of the attached information.
  public var attachedInfo = ""

  /// Properties of which none was set.
  public init() {}

  /// Sets one of them.
  mutating func set(_ property: ConversationFact.Property) {
    switch property {
    case .showName(let text): showName = text
    case .faceURL(let text): faceURL = text
    case .receiveOption(let option): receiveOption = option
    case .isPinned(let flag): isPinned = flag
    case .isPrivate(let flag): isPrivate = flag
    case .burnDuration(let seconds): burnDuration = seconds
    case .isNotInGroup(let flag): isNotInGroup = flag
    case .draft(let text, let time): (draft, draftTime) = (text, text.isEmpty ? 0 : time)
    case .ex(let text): ex = text
    case .attachedInfo(let text): attachedInfo = text
    }
  }
}
