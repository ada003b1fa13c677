/// One reader's end of an ``EventHub``: an AsyncSequence of envelopes.
///
/// Ownership: whoever holds the subscription keeps it alive, the hub does not. It ends with ``cancel()``, with the last
/// copy, or with the hub; ending twice is harmless. After ``cancel()`` nothing is delivered any more, and what waited is
/// freed. Several iterators share the events between them, so each event is delivered once.
public struct EventSubscription: AsyncSequence, Sendable {
  /// What has become of the events published since the subscription began, in numbers of published events:
  /// `published` = `delivered` + `dropped` + `voided` + what waits. Merged events count as delivered with the event they
  /// went into.
  public struct Counters: Sendable, Equatable {
    /// Published for this subscriber.
    public var published: UInt64
    /// Delivered, one by one or merged.
    public var delivered: UInt64
    /// States, presence and typing that gave way to later ones.
    public var dropped: UInt64
    /// Made void by the end of the subscription or of the account's login.
    public var voided: UInt64
    /// How often hints were widened for lack of room.
    public var overflows: UInt64
  }

  final class Lease: Sendable {
    let core: SubscriptionCore
    private let hub: EventHub

    init(core: SubscriptionCore, hub: EventHub) {
      self.core = core
      self.hub = hub
    }

    func end() {
      if core.end(isCancelled: true) { hub.leave(core) }
    }

    deinit { end() }
  }

  let lease: Lease

  /// Events that wait; at most ``limit``.
  public var depth: Int { lease.core.count }

  /// The most events that may wait.
  public var limit: Int { lease.core.limit }

  /// What has become of the events.
  public var counters: Counters {
    let counters = lease.core.counters
    return Counters(
      published: counters.pushed, delivered: counters.taken, dropped: counters.dropped, voided: counters.voided,
      overflows: counters.overflows)
  }

  /// Ends the subscription at once.
  public func cancel() { lease.end() }

  /// Everything that waits, without waiting for more.
  public func takePending() -> [EventEnvelope] { lease.core.takeAll() }

  /// Changes which events are delivered from now on; nil for all. What waits stays.
  public func setInterest(_ interest: Interest?) { lease.core.setInterest(interest) }

  /// Iterates over the events.
  public struct Iterator: AsyncIteratorProtocol {
    let lease: Lease

    /// The next event; nil once the subscription or the hub has ended, or when the task is cancelled.
    public mutating func next() async -> EventEnvelope? { await lease.core.next() }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }
}

/// Names a reader, so that starting it twice gives one delivery.
public struct SubscriptionToken: Sendable, Hashable {
  /// The name.
  public let name: String

  /// A token of a name that the application chooses, one for each reader.
  public init(_ name: String) { self.name = name }
}
