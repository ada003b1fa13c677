/// A notice of the server after which something has to be fetched again, or the application has to be told (receiving
/// spec §1.5). Rows of people that it carries whole come as facts beside it.
public struct NoticeEvent: Sendable, Equatable {
  /// What a notice is about.
  public enum Subject: String, Sendable, CaseIterable {
    /// Friends, requests or blocks (1201–1299).
    case friends
    /// Conversations whose properties were changed elsewhere (1300).
    case conversations
    /// A user (1301–1399).
    case user
    /// A group, its members or requests (1501–1599).
    case group
    /// A message of the application's own (2001). `detail` is free of form.
    case business
    /// A number this version does not know. If it came with an id, the store keeps it too.
    case other
  }

  /// The own user id.
  public var account: String
  /// Which notice.
  public var contentType: Int32
  /// What it is about.
  public var subject: Subject
  /// The conversations it names; else the one it came in; none when it came by a callback of its own.
  public var conversationIDs: [String]
  /// The group it is about, or empty.
  public var groupID: String
  /// The server's time, in milliseconds since 1970; 0 when not told.
  public var time: Int64
  /// What the notice says, as it was delivered: by convention JSON.
  public var detail: [UInt8]

  /// A notice of its parts.
  public init(
    account: String, contentType: Int32, subject: Subject, conversationIDs: [String] = [], groupID: String = "",
    time: Int64 = 0, detail: [UInt8] = []
  ) {
    self.account = account
    self.contentType = contentType
    self.subject = subject
    self.conversationIDs = conversationIDs
    self.groupID = groupID
    self.time = time
    self.detail = detail
  }

  /// The lists of the account that the notice makes stale, also where it carries some of their rows; all of its subject for a number this version does not know.
  public var scopes: [SocialFact.Scope] {
    switch subject {
    case .friends:
      switch contentType {
      case 1_201: [.friendRequests, .friendships]
      case 1_202, 1_203: [.friendRequests]
      case 1_204, 1_205, 1_206, 1_209, 1_210: [.friendships]
      case 1_207, 1_208: [.blocks]
      default: [.friendRequests, .friendships, .blocks]
      }
    case .group:
      switch contentType {
      case 1_502, 1_511, 1_514, 1_515, 1_519, 1_520: [.groups]
      case 1_503, 1_506: [.groupJoinRequests]
      case 1_505: [.groupJoinRequests, .groups, .groupMembers]
      case 1_512, 1_513, 1_516, 1_517, 1_518: [.groupMembers]
      case 1_501, 1_504, 1_507...1_510: [.groups, .groupMembers]
      default: [.groups, .groupMembers, .groupJoinRequests]
      }
    case .conversations, .user, .business, .other: []
    }
  }
}
