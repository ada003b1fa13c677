/// The kind of a conversation (receiving spec §1.4).
public enum SessionType: Int32, Sendable, CaseIterable {
  /// Two users.
  case single = 1
  /// A group whose messages are copied to each member. Not enabled on current servers.
  case writeGroup = 2
  /// A group whose messages are stored once.
  case readGroup = 3
  /// The server speaking to one user.
  case system = 4

  /// What a conversation id of this kind begins with.
  var prefix: String {
    switch self {
    case .single: "si_"
    case .writeGroup: "g_"
    case .readGroup: "sg_"
    case .system: "sn_"
    }
  }

  /// The kind that a conversation id names by its beginning; nil for others, notification twins included.
  public init?(conversationID: String) {
    guard let kind = Self.allCases.first(where: { conversationID.utf8.starts(with: $0.prefix.utf8) }) else {
      return nil
    }
    self = kind
  }

  /// Whether the conversation is a group.
  public var isGroup: Bool { self == .writeGroup || self == .readGroup }

  /// The id of the conversation a message belongs to: for groups from the group id, else from both users, sorted as
  /// byte strings. Ids may contain `_`, so it cannot be taken apart again.
  public func conversationID(sender: String, receiver: String, group: String) -> String {
    if isGroup { return prefix + group }
    let (first, second) = receiver.utf8Precedes(sender) ? (receiver, sender) : (sender, receiver)
    var id = prefix
    id.reserveCapacity(prefix.utf8.count + first.utf8.count + 1 + second.utf8.count)
    id += first
    id += "_"
    id += second
    return id
  }
}
