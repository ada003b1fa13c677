import WeirStore

/// What readers ask of a projection, each answer from one snapshot with its revision.
public protocol ProjectionReading: Sendable {
  /// Conversations, pinned ones and then the latest first; `after` continues behind the last one of the page before.
  func conversations(
    after position: ConversationPosition?, limit: Int
  ) async throws(StoreError) -> Snapshot<[ConversationSummary]>

  /// Sums over all conversations.
  func totals() async throws(StoreError) -> Snapshot<Totals>

  /// The messages of a conversation that are to be shown, newest first; `before` continues behind the last one of the
  /// page before.
  func messages(
    in conversationID: String, before position: MessagePosition?, limit: Int
  ) async throws(StoreError) -> Snapshot<[StoredMessage]>
}
