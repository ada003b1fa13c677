import WeirStore

/// Queries. Each sees one state of the store and returns its revision.
extension SQLiteMessageStore {
  /// One message; nil when it is not known.
  public func message(
    _ clientMsgID: String, in conversationID: String
  ) async throws(StoreError) -> Snapshot<StoredMessage?> {
    try await readers.read { (reader) throws(StoreError) in try reader.message(conversationID, clientMsgID) }
  }

  /// The messages of a conversation that are to be shown, newest first; see `MessageStore.messages`.
  public func messages(
    in conversationID: String, before position: MessagePosition? = nil, limit: Int = 50
  ) async throws(StoreError) -> Snapshot<[StoredMessage]> {
    try await readers.read { (reader) throws(StoreError) in
      try reader.messages(in: conversationID, .before(position), limit: limit)
    }
  }

  /// The messages that come next after a place, newest first.
  public func messages(
    in conversationID: String, after position: MessagePosition, limit: Int = 50
  ) async throws(StoreError) -> Snapshot<[StoredMessage]> {
    try await readers.read { (reader) throws(StoreError) in
      try reader.messages(in: conversationID, .after(position), limit: limit)
    }
  }

  /// Conversations in the order of the list; see `MessageStore.conversations`.
  public func conversations(
    after position: ConversationPosition? = nil, limit: Int = 50
  ) async throws(StoreError) -> Snapshot<[ConversationSummary]> {
    try await readers.read { (reader) throws(StoreError) in try reader.conversations(after: position, limit: limit) }
  }

  /// A page of the list and the total of unread messages, both of one state of the store.
  public func inbox(
    limit: Int = 50
  ) async throws(StoreError) -> Snapshot<(conversations: [ConversationSummary], unread: TotalUnread)> {
    try await readers.read { (reader) throws(StoreError) in
      (try reader.conversations(after: nil, limit: limit), try reader.totalUnread())
    }
  }

  /// One conversation, whether a list shows it or not; nil when nothing is known of it.
  public func conversation(_ conversationID: String) async throws(StoreError) -> Snapshot<ConversationSummary?> {
    try await readers.read { (reader) throws(StoreError) in try reader.conversation(conversationID) }
  }

  /// Sums over all conversations.
  public func totals() async throws(StoreError) -> Snapshot<Totals> {
    try await readers.read { (reader) throws(StoreError) in try reader.totals() }
  }

  /// The total of unread messages after the latest commit of this store, kept at hand: it asks no file.
  public func totalUnread() async throws(StoreError) -> Snapshot<TotalUnread> {
    try total.get()
  }

  /// How far the others have read a conversation, in the order of their ids.
  public func conversationPeerReads(_ conversationID: String) async throws(StoreError) -> Snapshot<[PeerRead]> {
    try await readers.read { (reader) throws(StoreError) in try reader.peerReads(conversationID) }
  }

  /// The seqs of a conversation that exist on the server and are neither known nor closed nor cleared.
  public func gaps(in conversationID: String) async throws(StoreError) -> Snapshot<SeqIntervals> {
    try await readers.read { (reader) throws(StoreError) in try reader.gaps(conversationID) }
  }

  /// What is known of messages that have not come.
  public func orphans(in conversationID: String, limit: Int = 1_000) async throws(StoreError) -> Snapshot<[Orphan]> {
    try await readers.read { (reader) throws(StoreError) in try reader.orphans(conversationID, limit: limit) }
  }

  /// The position of a source that was stored last; nil when there is none.
  public func checkpoint(of source: String) async throws(StoreError) -> Snapshot<[UInt8]?> {
    try await readers.read { (reader) throws(StoreError) in try reader.checkpoints.position(of: source) }
  }

  /// What changed since a revision; see `MessageStore.changes`.
  public func changes(since revision: Int64, limit: Int = 256) async throws(StoreError) -> Snapshot<ChangeLog> {
    try await readers.read { (reader) throws(StoreError) in try reader.changes(since: revision, limit: limit) }
  }

  // MARK: People and tasks

  /// Requests to become friends, in the order of their ids, behind `id`.
  public func friendRequests(
    after id: String = "", limit: Int = 1_000
  ) async throws(StoreError) -> Snapshot<[SocialEntry]> {
    try await social(.friendRequests, after: id, limit: limit)
  }

  /// Friends, in the order of their ids, behind `id`.
  public func friendships(
    after id: String = "", limit: Int = 1_000
  ) async throws(StoreError) -> Snapshot<[SocialEntry]> {
    try await social(.friendships, after: id, limit: limit)
  }

  /// The groups the account is in, in the order of their ids, behind `id`.
  public func groups(after id: String = "", limit: Int = 1_000) async throws(StoreError) -> Snapshot<[SocialEntry]> {
    try await social(.groups, after: id, limit: limit)
  }

  /// The members of a group, in the order of their ids, behind `id`.
  public func groupMembers(
    of groupID: String, after id: String = "", limit: Int = 1_000
  ) async throws(StoreError) -> Snapshot<[SocialEntry]> {
    try await social(.groupMembers, groupID, after: id, limit: limit)
  }

  /// Blocked users, in the order of their ids, behind `id`.
  public func blocks(after id: String = "", limit: Int = 1_000) async throws(StoreError) -> Snapshot<[SocialEntry]> {
    try await social(.blocks, after: id, limit: limit)
  }

  /// Requests to join a group, in the order of their ids, behind `id`.
  public func groupJoinRequests(
    of groupID: String, after id: String = "", limit: Int = 1_000
  ) async throws(StoreError) -> Snapshot<[SocialEntry]> {
    try await social(.groupJoinRequests, groupID, after: id, limit: limit)
  }

  private func social(
    _ scope: SocialFact.Scope, _ scopeID: String = "", after id: String, limit: Int
  ) async throws(StoreError) -> Snapshot<[SocialEntry]> {
    try await readers.read { (reader) throws(StoreError) in
      try reader.social.page(scope, scopeID, after: id, limit: limit)
    }
  }

  /// Where the transfer of a medium stands; nil when the task is not known.
  public func mediaTask(_ taskID: String) async throws(StoreError) -> Snapshot<MediaTask?> {
    try await readers.read { (reader) throws(StoreError) in try reader.tasks.task(taskID) }
  }

  // MARK: Proof

  /// A hash over all content in the order of keys: equal for stores that were told the same facts, in whatever order and
  /// however often. Reads the whole file.
  public func contentHash() async throws(StoreError) -> Snapshot<Hash128> {
    try await readers.read(isLong: true) { (reader) throws(StoreError) in
      try ContentHash(
        connection: reader.connection, account: reader.account, strings: reader.strings, targets: reader.targets
      ).value()
    }
  }

  /// Recounts from the rows what the store keeps ready (unread numbers, last messages, totals, recall marks, the log)
  /// and tells what does not agree; empty when all does. Reads the whole file.
  public func audit() async throws(StoreError) -> Snapshot<[String]> {
    try await readers.read(isLong: true) { (reader) throws(StoreError) in
      try ProjectionAudit.findings(reader.connection) + SearchAudit.findings(reader)
    }
  }
}
