/// Messages were deleted. Deleting is an OR: once true, true for good, however often it is told.
public struct DeleteFact: Sendable, Equatable {
  /// For whom a deletion holds.
  public enum Scope: Int64, Sendable {
    /// For the account alone.
    case forSelf = 1
    /// For everybody in the conversation.
    case forAll = 2
  }

  /// The own user id.
  public var account: String
  /// Where the messages stand.
  public var conversationID: String
  /// Which messages.
  public var targets: [MessageReference]
  /// For whom.
  public var scope: Scope

  /// A deletion of its parts.
  public init(account: String, conversationID: String, targets: [MessageReference], scope: Scope = .forSelf) {
    self.account = account
    self.conversationID = conversationID
    self.targets = targets
    self.scope = scope
  }
}
