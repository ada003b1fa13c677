import Weir
import WeirStore

extension ProjectionReading {
  /// The newest conversations, kept up to date by the hints of a hub.
  public func observedConversations(
    through hub: EventHub, limit: Int = 50, atMostEvery interval: Duration = .milliseconds(16),
    clock: GraphClock = .continuous
  ) -> ObservedQuery<[ConversationSummary], StoreError> {
    ObservedQuery(hub, interest: Interest([.conversations]), atMostEvery: interval, clock: clock) {
      () async throws(StoreError) in
      try await conversations(after: nil, limit: limit)
    }
  }

  /// The newest messages of a conversation, kept up to date by the hints of a hub.
  public func observedMessages(
    in conversationID: String, through hub: EventHub, limit: Int = 50,
    atMostEvery interval: Duration = .milliseconds(16), clock: GraphClock = .continuous
  ) -> ObservedQuery<[StoredMessage], StoreError> {
    ObservedQuery(hub, interest: Interest([.messages(in: conversationID)]), atMostEvery: interval, clock: clock) {
      () async throws(StoreError) in
      try await messages(in: conversationID, before: nil, limit: limit)
    }
  }

  /// The sums over all conversations, kept up to date by the hints of a hub.
  public func observedTotals(
    through hub: EventHub, atMostEvery interval: Duration = .milliseconds(16), clock: GraphClock = .continuous
  ) -> ObservedQuery<Totals, StoreError> {
    ObservedQuery(hub, interest: Interest([.totals]), atMostEvery: interval, clock: clock) {
      () async throws(StoreError) in
      try await totals()
    }
  }
}
