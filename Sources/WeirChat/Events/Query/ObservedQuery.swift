import Weir

/// A query whose answer is kept up to date by the hints of an ``EventHub``: an AsyncSequence of answers.
///
/// It subscribes first and queries then, so nothing falls between the two; it queries again when a hint touches what it
/// is interested in and its answer does not reflect that yet, or when something may have been missed; an older answer
/// never follows a newer one, and one that shows nothing new is not given out. There is one query at a time: hints that
/// come meanwhile, or while the reader is busy, lead to one query more, however many they are. So the page equals a fresh
/// query whatever hints were merged, widened or dropped on the way.
///
/// - Requires: hints are published after their commit, and their revisions and those of the answers count the same store.
/// - Waits when: nothing has changed.
/// - Finishes when: the hub is closed, or the task is cancelled.
/// - Memory: the limit of its subscription, and the last answer where duplicates are left out.
/// - Errors: what the query throws. The iterator stays usable: the next call queries again.
public struct ObservedQuery<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// An answer with its revision.
  public typealias Element = Snapshot<Value>

  let hub: EventHub
  let interest: Interest
  let refine: (@Sendable (Value) -> Interest)?
  let areEqual: (@Sendable (Value, Value) -> Bool)?
  let interval: Duration
  let clock: GraphClock
  let limit: Int
  let query: @Sendable () async throws(Failure) -> Snapshot<Value>

  /// Observes a query.
  /// - Parameters:
  ///   - hub: where hints are published.
  ///   - interest: what the answer depends on in any case. Nothing in particular means everything.
  ///   - refine: what an answer depends on beside that. While a query is under way everything counts, so a dependency
  ///     that an answer brings up is in force from the moment its query began.
  ///   - areEqual: whether two answers show the same; the later one is left out then.
  ///   - interval: the least time between the starts of two queries.
  ///   - clock: what that time is measured by.
  ///   - limit: the most hints that may wait, see ``EventHub/subscribe(limit:interest:token:)``.
  ///   - query: gives one answer from one snapshot.
  public init(
    _ hub: EventHub, interest: Interest, refine: (@Sendable (Value) -> Interest)? = nil,
    areEqual: (@Sendable (Value, Value) -> Bool)?, atMostEvery interval: Duration = .milliseconds(16),
    clock: GraphClock = .continuous, limit: Int = 16,
    query: @escaping @Sendable () async throws(Failure) -> Snapshot<Value>
  ) {
    self.hub = hub
    self.interest = interest
    self.refine = refine
    self.areEqual = areEqual
    self.interval = interval
    self.clock = clock
    self.limit = limit
    self.query = query
  }

  /// Begins to observe: the subscription is complete when it returns.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Gives out the answers.
  public struct Iterator: AsyncIteratorProtocol {
    private let observed: ObservedQuery
    private let subscription: EventSubscription
    private var interest: Interest
    /// What the following revisions are counted in.
    private var line: EventHub.Line
    private var last: Snapshot<Value>?
    private var mustQuery = true
    private var notBefore: Duration?
    /// The highest revision that a hint told of.
    private var wanted: Int64 = 0
    /// Answers in a row that did not reflect that revision.
    private var lagging = 0

    init(_ observed: ObservedQuery) {
      self.observed = observed
      interest = observed.interest
      line = observed.hub.line
      subscription = observed.hub.subscribe(limit: observed.limit, interest: observed.interest)
    }

    /// The next answer that shows something new; nil at the end.
    public mutating func next() async throws(Failure) -> Snapshot<Value>? {
      try await next(isolation: nil)
    }

    /// The next answer that shows something new; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Snapshot<Value>? {
      while !Task.isCancelled {
        guard mustQuery else {
          guard let hint = await subscription.lease.core.next() else { return nil }
          note(hint)
          for hint in subscription.takePending() { note(hint) }
          continue
        }
        guard await mayQuery(actor) else { return nil }
        if let answer = try await answer(actor) { return answer }
      }
      return nil
    }

    /// Waits until another query may start; false when the task is cancelled.
    private mutating func mayQuery(_ actor: isolated (any Actor)?) async -> Bool {
      if let notBefore, observed.clock.now < notBefore {
        do {
          try await observed.clock.sleep(until: notBefore)
        } catch {
          return false
        }
      }
      notBefore = observed.clock.now + observed.interval
      return true
    }

    /// Queries once; nil when the answer is old or shows nothing new. Until then a query stays due.
    private mutating func answer(_ actor: isolated (any Actor)?) async throws(Failure) -> Snapshot<Value>? {
      if observed.refine != nil { subscription.setInterest(.everything) }
      let line = observed.hub.line
      if line != self.line { (self.line, last, wanted) = (line, nil, 0) }
      // What was published before the query begins is in the store, and has to be in the answer.
      for hint in subscription.takePending() { note(hint) }
      let due = wanted
      let answer = try await observed.query()
      // The login or the store has changed under the query: whose answer this is cannot be told.
      guard observed.hub.line == line else { return nil }
      let known = last
      let isOlder = known.map { answer.revision < $0.revision } ?? false
      if !isOlder { last = answer }
      if let refine = observed.refine {
        if !isOlder { interest = observed.interest.union(refine(answer.value)) }
        // Narrower again; what has come in meanwhile stays, and is looked at below.
        subscription.setInterest(interest)
      }
      mustQuery = isLagging(answer.revision, behind: due)
      for hint in subscription.takePending() { note(hint) }
      if isOlder { return nil }
      guard let known else { return answer }
      if let areEqual = observed.areEqual { return areEqual(known.value, answer.value) ? nil : answer }
      return answer.revision == known.revision && answer.revision > 0 ? nil : answer
    }

    /// Whether an answer misses what a hint told of, as that of a reader that lags behind. Sets when to ask again.
    private mutating func isLagging(_ revision: Int64, behind wanted: Int64) -> Bool {
      guard revision < wanted else {
        lagging = 0
        return false
      }
      lagging += 1
      let pause = Backoff(initial: .milliseconds(10), maximum: .seconds(1)).wait(before: lagging)
      notBefore = observed.clock.now + Swift.max(observed.interval, pause)
      return true
    }

    /// Decides whether a hint makes a query due: it touches the page, and the newest answer does not reflect it.
    private mutating func note(_ hint: EventEnvelope) {
      guard interest.touches(hint.event) else { return }
      guard !hint.event.requiresFullRequery, let revision = hint.revision else {
        mustQuery = true
        return
      }
      wanted = Swift.max(wanted, revision)
      // Of another login or store there is a hint about everything before any that tells a revision.
      if let last, revision <= last.revision { return }
      mustQuery = true
    }
  }
}

extension ObservedQuery where Value: Equatable {
  /// Observes a query whose equal answers are left out; see
  /// ``init(_:interest:refine:areEqual:atMostEvery:clock:limit:query:)``.
  public init(
    _ hub: EventHub, interest: Interest, refine: (@Sendable (Value) -> Interest)? = nil,
    atMostEvery interval: Duration = .milliseconds(16), clock: GraphClock = .continuous, limit: Int = 16,
    query: @escaping @Sendable () async throws(Failure) -> Snapshot<Value>
  ) {
    self.init(
      hub, interest: interest, refine: refine, areEqual: { $0 == $1 }, atMostEvery: interval, clock: clock,
      limit: limit, query: query)
  }
}
