/// A friend, a request, a group, a member or a block. The greatest (revision, removed, bytes) stands.
public struct SocialFact: Sendable, Equatable {
  /// Which list it belongs to (receiving spec §3, kind 11). The raw values are stored.
  public enum Scope: Int64, Sendable, CaseIterable {
    /// Requests to become friends.
    case friendRequests = 1
    /// Friends.
    case friendships = 2
    /// Groups the account is in.
    case groups = 3
    /// Members of a group.
    case groupMembers = 4
    /// Blocked users.
    case blocks = 5
    /// Requests to join a group.
    case groupJoinRequests = 6
  }

  /// The own user id.
  public var account: String
  /// Which list.
  public var scope: Scope
  /// The group, for members and join requests; else empty.
  public var scopeID: String
  /// Which entry of the list: a user id, a group id, or a request id. Not empty.
  public var entityID: String
  /// Orders what is told of one entry: milliseconds since 1970 by the server's clock. Rows out of notices carry the time
  /// of their notice, so who fetches a list gives its rows the time of the fetch.
  public var revision: Int64
  /// Whether the entry left the list.
  public var isRemoved: Bool
  /// The entry as JSON.
  public var payload: [UInt8]

  /// An entry of its parts.
  public init(
    account: String, scope: Scope, scopeID: String = "", entityID: String, revision: Int64, isRemoved: Bool = false,
    payload: [UInt8] = []
  ) {
    self.account = account
    self.scope = scope
    self.scopeID = scopeID
    self.entityID = entityID
    self.revision = revision
    self.isRemoved = isRemoved
    self.payload = payload
  }
  /// The id under which a request to become friends stands: a pair may have one in each direction.
  public static func friendRequestID(from sender: String, to receiver: String) -> String { "\(sender)/\(receiver)" }
}
