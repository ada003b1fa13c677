import WeirStore

/// What a store says of itself.
public struct StoreProfile: Sendable, Equatable {
  /// The account it belongs to.
  public var account: String
  /// The format of the file.
  public var format: Int64
  /// The random identity of the file, made with it. 16 bytes.
  public var identity: [UInt8]
  /// The latest revision.
  public var revision: Int64
  /// The oldest revision that the log of changes still holds.
  public var historyFrom: Int64
  /// The epoch of the account whose writers may commit.
  public var accountEpoch: Int64
  /// Private messages are hidden from their deadline on, up to this time; milliseconds since 1970, 0 for never.
  public var expiredUpTo: Int64
  /// Conversations that something is known of, listed or not.
  public var conversations: Int64
  /// Sums over the conversations that are listed.
  public var totals: Totals
}

extension ProjectionReader {
  func profile() throws(StoreError) -> StoreProfile {
    let meta = try connection.prepare("SELECT revision, history_from, account_epoch, expired_upto FROM meta")
    guard try meta.step() else { throw StoreError(.corrupt, "the meta row is gone") }
    defer { meta.reset() }
    return StoreProfile(
      account: account, format: try connection.prepare("PRAGMA user_version").firstInt64() ?? 0,
      identity: try Meta.identity(connection), revision: meta.int64(0), historyFrom: meta.int64(1),
      accountEpoch: meta.int64(2), expiredUpTo: meta.int64(3),
      conversations: try connection.prepare("SELECT count(*) FROM conversations").firstInt64() ?? 0,
      totals: try totals())
  }

  /// The ids of all conversations, listed or not, in the order of their bytes, behind `id`.
  func conversationIDs(after id: String, limit: Int) throws(StoreError) -> [String] {
    let select = try connection.prepare("SELECT key FROM conversations WHERE key > ?1 ORDER BY key LIMIT ?2")
    select.bind(id, at: 1)
    select.bind(Int64(max(limit, 0)), at: 2)
    var ids: [String] = []
    while try select.step() { ids.append(select.string(0)) }
    return ids
  }
}

/// Questions of those who look into a store.
extension ProjectionView {
  /// What the store says of itself.
  public func profile() throws(StoreError) -> StoreProfile { try reader.profile() }

  /// The ids of all conversations that anything is known of, listed or not, in the order of their bytes, behind `id`.
  public func conversationIDs(after id: String = "", limit: Int = 256) throws(StoreError) -> [String] {
    try reader.conversationIDs(after: id, limit: limit)
  }

  /// One line of the conversation list; nil when nothing is known of the conversation.
  public func conversation(_ conversationID: String) throws(StoreError) -> ConversationSummary? {
    try reader.conversation(conversationID)
  }

  /// One message, hidden or not; nil when there is none.
  public func message(_ clientMsgID: String, in conversationID: String) throws(StoreError) -> StoredMessage? {
    try reader.message(conversationID, clientMsgID)
  }

  /// The seqs of a conversation that exist on the server and are neither known nor closed nor cleared.
  public func gaps(in conversationID: String) throws(StoreError) -> SeqIntervals { try reader.gaps(conversationID) }
}
