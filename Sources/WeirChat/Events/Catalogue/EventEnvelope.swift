/// An event on its way to a reader, with what is needed to know what is missing.
public struct EventEnvelope: Sendable, Equatable {
  /// The place of the event in the stream it is read from. Out of an `InvalidationEmitter` numbers have no holes, so
  /// that the loss of any hint is seen, also of one without a revision. Out of an ``EventSubscription`` they rise, and
  /// an event that stands for several has the number of the latest.
  public var number: UInt64
  /// The login it belongs to.
  public var accountEpoch: UInt64
  /// The connection it came in on.
  public var connectionGeneration: UInt64
  /// How many published events it stands for; 1 unless some were merged.
  public var covers: Int
  /// Whether it is wider than what it stands for, because a subscriber had no room for the details.
  public var isWidened: Bool
  /// The event.
  public var event: ChatEvent

  /// An envelope of its parts.
  public init(
    number: UInt64, accountEpoch: UInt64 = 0, connectionGeneration: UInt64 = 0, covers: Int = 1,
    isWidened: Bool = false, event: ChatEvent
  ) {
    self.number = number
    self.accountEpoch = accountEpoch
    self.connectionGeneration = connectionGeneration
    self.covers = covers
    self.isWidened = isWidened
    self.event = event
  }

  /// The revision of the store that the event is about; nil when it tells none.
  public var revision: Int64? { event.change?.revisions?.upperBound }
}
