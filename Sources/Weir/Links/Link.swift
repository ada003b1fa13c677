import Synchronization

/// The bounded queue between two tasks of a graph: chunks change owner, elements are never copied.
///
/// Several writers and several readers may share it. Its behaviour is ``LinkState``, a value; this class adds the lock
/// and the parked tasks. Continuations are stored under the lock and resumed after it; a woken task always looks again,
/// so a spurious wake-up is harmless and nothing is handed to a task that is being cancelled.
///
/// Memory: the limits, plus one element admitted while empty, plus two emptied chunks kept for reuse.
public final class Link<Element: Sendable>: Sendable {
  @usableFromInline let state: Mutex<LinkState<Element>>
  @usableFromInline let clock: TraceClock
  @usableFromInline let weigh: (@Sendable (Element) -> Int)?
  @usableFromInline let nextWaiter = Atomic<UInt64>(1)
  /// Number of elements waiting, as of the last change: lets a reader look without taking the lock.
  @usableFromInline let depthHint = Atomic<Int>(0)
  /// Whether the reader found elements the last time without having to park for them.
  @usableFromInline let isBusy = Atomic<Bool>(false)
  /// Taken by the first iterator over the link.
  @usableFromInline let iterated = OnceFlag()
  /// Told once, outside the lock, when the last reader has left: stops the tasks that write.
  let onClosed = Mutex(Few<any LinkObserver>())
  /// Whom the policy `fail` tells; nil with any other policy.
  @usableFromInline let overflow: LinkOverflowReport?
  /// Number of elements found without parking that makes a reader a busy one. Fewer are as well waited for: a reader
  /// that looks again and again for single elements costs more than one that is woken.
  @usableFromInline let busy: Int32
  /// Number of waiting elements at which a busy reader stops letting the link fill.
  @usableFromInline let enough: Int32
  /// Whether elements may have to be weighed or thrown away one by one.
  @usableFromInline let elementwise: Bool
  /// How elements are combined, where the policy is to combine them.
  @usableFromInline let conflation: LinkConflation<Element>?

  /// - Parameters:
  ///   - limit: how much may wait. One that admits nothing (a fault in a blueprint) acts as one element: an empty link takes
  ///     whatever comes.
  ///   - policy: what happens at the limit.
  ///   - weigh: bytes of an element, for limits in bytes; called outside the lock.
  ///   - chunkSize: most elements a chunk filled element by element may hold.
  ///   - writers: number of writers that will each finish once.
  ///   - readers: number of readers that will each close once.
  ///   - name: named in the failure of a link that overflows.
  public init(
    limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait, weigh: (@Sendable (Element) -> Int)? = nil,
    chunkSize: Int = 256, writers: Int = 1, readers: Int = 1, clock: TraceClock = .monotonic,
    name: String = "link"
  ) {
    self.clock = clock
    // Without a weight function an element weighs what it says itself, or else what it occupies in place.
    let weigher =
      limit.bytes == nil ? nil : weigh ?? ownWeight(of: Element.self) ?? { _ in MemoryLayout<Element>.stride }
    // Neither negative nor so heavy that a sum could overflow: the function is the user's.
    self.weigh = weigher.map { weigh in { @Sendable in Swift.min(Swift.max(0, weigh($0)), 1 << 47) } }
    let most = limit.elements ?? .max
    busy = Int32(clamping: Swift.min(4, Swift.max(1, most / 2)))
    enough = Int32(clamping: Swift.max(1, Swift.min(64, most / 2), Swift.min(256, most / 4)))
    if case .fail = policy { overflow = LinkOverflowReport() } else { overflow = nil }
    if case .wait = policy { elementwise = weigher != nil } else { elementwise = true }
    if case .conflate(let combine) = policy { conflation = LinkConflation(combine) } else { conflation = nil }
    state = Mutex(
      LinkState(
        limit: limit, policy: policy, weighs: weigher != nil, chunkSize: chunkSize, writers: writers, readers: readers,
        name: name))
  }

  // MARK: Writing

  /// Offers one element without waiting.
  @inlinable
  func offer(_ element: Element, token: Settlement? = nil) -> Offer {
    let stamp = clock.eager()
    if !elementwise && token == nil {
      var waiter: LinkWaiter?
      let pushed = state.withLock { state -> Bool in
        guard state.pushIfRoom(element, stamp: stamp) else { return false }
        depthHint.store(state.count, ordering: .relaxed)
        if !state.waitingReaders.isEmpty { waiter = state.nextReader() }
        return true
      }
      if pushed {
        if let waiter { waiter.continuation.resume() }
        return .accepted(wake: nil)
      }
    }
    return offerOne(element, token: token, stamp: stamp)
  }

  @inlinable
  @inline(never)
  func offerOne(_ element: Element, token: Settlement?, stamp: UInt64) -> Offer {
    offerObserved(element, token: token, stamp: stamp).offer
  }

  /// Offers one element without waiting, and tells what the policy did.
  @inlinable
  @inline(never)
  func offerObserved(_ element: Element, token: Settlement?, stamp: UInt64) -> ObservedOffer {
    let weight = weigh?(element) ?? 0
    let stamp = stamp == 0 ? clock.now() : stamp
    if let conflation {
      return offer(element, token: token, weight: weight, stamp: stamp, conflation: conflation)
    }
    var discards = Chunk<Element>()
    let (observed, waiters, failure) = state.withLock { state in
      var discarded = Chunk<Element>()
      let offer = state.offer(element, token: token, weight: weight, stamp: stamp, discards: &discarded)
      swap(&discarded, &discards)
      depthHint.store(state.count, ordering: .relaxed)
      let failure = state.takeOverflow()
      let observed = ObservedOffer(
        offer: offer, discarded: !discards.isEmpty, ended: state.end != nil, room: state.roomInElements)
      return (observed, failure == nil ? [] : state.takeAllWaiters(), failure)
    }
    settle(&discards)
    wake(observed.offer)
    resume(waiters)
    if let failure { overflow?.onOverflow.withLock { $0.take() }?(failure) }
    return observed
  }

  /// Offers a chunk without waiting; what did not fit stays in it.
  /// - Parameter stamp: a look at the clock not long ago; zero to look now.
  @inlinable
  func offer(_ chunk: inout Chunk<Element>, stamp: UInt64 = 0) -> Offer {
    if elementwise { return offerEach(&chunk) }
    let stamp = stamp == 0 ? clock.eager() : stamp
    let offer = state.withLock { state -> Offer in
      let offer = state.offer(&chunk, stamp: stamp)
      depthHint.store(state.count, ordering: .relaxed)
      return offer
    }
    wake(offer)
    return offer
  }

  @inlinable
  @inline(never)
  func offerEach(_ chunk: inout Chunk<Element>) -> Offer {
    while let (element, token) = chunk.popFirstTracked() {
      switch offerOne(element, token: token, stamp: clock.eager()) {
      case .accepted: continue
      case .full:
        // Not taken: put it back in front of the rest.
        var rest = Chunk<Element>()
        swap(&rest, &chunk)
        chunk.append(element, token: token)
        rest.move(rest.count, to: &chunk)
        return .full(wake: nil)
      case .closed:
        var rest = Chunk<Element>()
        swap(&rest, &chunk)
        chunk.append(element, token: token)
        rest.move(rest.count, to: &chunk)
        return .closed
      }
    }
    return .accepted(wake: nil)
  }

  /// Sends one element, waiting for room.
  /// - Returns: false when nobody reads any more, or the waiting task was cancelled: the element was not delivered.
  @inlinable
  @inline(__always)
  @discardableResult
  public nonisolated(nonsending) func send(_ element: Element) async -> Bool {
    if case .accepted = offer(element) { return true }
    return await sendWaiting(element)
  }

  @inlinable
  @inline(never)
  nonisolated(nonsending) func sendWaiting(_ element: Element) async -> Bool {
    while true {
      switch offer(element) {
      case .accepted: return true
      case .closed: return false
      case .full:
        guard await waitForRoomOrCancellation(weight: weigh?(element) ?? 0) else { return false }
      }
    }
  }

  /// Sends a chunk, waiting for room as often as needed.
  /// - Returns: false when nobody reads any more, or the waiting task was cancelled; what was not sent stays in `chunk`.
  @inlinable
  @inline(__always)
  @discardableResult
  public nonisolated(nonsending) func send(_ chunk: inout Chunk<Element>) async -> Bool {
    if chunk.isEmpty { return true }
    if case .accepted = offer(&chunk) { return true }
    return await sendWaiting(&chunk)
  }

  @inlinable
  @inline(never)
  nonisolated(nonsending) func sendWaiting(_ chunk: inout Chunk<Element>) async -> Bool {
    while !chunk.isEmpty {
      switch offer(&chunk) {
      case .accepted: break
      case .closed: return false
      case .full:
        guard await waitForRoomOrCancellation(weight: weightOfFirst(chunk)) else { return false }
      }
    }
    return true
  }

  /// Weight of the element that is next to be sent; zero where the link does not weigh.
  @inlinable
  func weightOfFirst(_ chunk: borrowing Chunk<Element>) -> Int {
    guard let weigh, let first = chunk.first else { return 0 }
    return weigh(first)
  }

  // MARK: Reading

  /// Takes what is there, up to `limit` elements, without waiting.
  @inlinable
  func take(into chunk: inout Chunk<Element>, limit: Int) -> TakeResult {
    if !chunk.isEmpty { return .taken(wake: []) }
    let stamp = clock.eager()
    if elementwise { return takeElementwise(into: &chunk, limit: limit, stamp: stamp) }
    let take = state.withLock { state -> TakeResult in
      var none = Chunk<Element>()
      let take = state.take(into: &chunk, limit: limit, stamp: stamp, discards: &none)
      depthHint.store(state.count, ordering: .relaxed)
      return take
    }
    if case .taken(let waiters) = take { resume(waiters) }
    return take
  }

  @inlinable
  @inline(never)
  func takeElementwise(into chunk: inout Chunk<Element>, limit: Int, stamp: UInt64) -> TakeResult {
    var discards = Chunk<Element>()
    let stamp = stamp == 0 ? clock.now() : stamp
    let (take, writers) = state.withLock { state in
      var discarded = Chunk<Element>()
      let take = state.take(into: &chunk, limit: limit, stamp: stamp, discards: &discarded)
      swap(&discarded, &discards)
      depthHint.store(state.count, ordering: .relaxed)
      // What expired has made room, also where nothing was left to take.
      if case .empty = take, !discards.isEmpty { return (take, state.toWakeAfterTake()) }
      return (take, [])
    }
    settle(&discards)
    resume(writers)
    if case .taken(let waiters) = take { resume(waiters) }
    return take
  }

  /// Waits until something can be taken and takes up to `limit` elements of it.
  /// - Returns: false at the end of the link.
  /// - Throws: ``PortInterruption`` when the writing side failed, or either side was cancelled.
  @inlinable
  public nonisolated(nonsending) func receive(into chunk: inout Chunk<Element>, limit: Int = .max)
    async throws(PortInterruption) -> Bool
  {
    var parked = false
    while true {
      // A busy link is left alone for a moment before it is looked at, so that chunks and not elements are taken.
      if !parked, isBusy.load(ordering: .relaxed) { await letFill() }
      switch take(into: &chunk, limit: limit) {
      case .taken:
        isBusy.store(!parked && chunk.count >= Int(busy), ordering: .relaxed)
        return true
      case .ended(let end): return try finish(end)
      case .empty:
        parked = true
        guard await waitForElementsOrCancellation() else { throw .cancelled }
      }
    }
  }

  /// While a writer is at work, gives it the thread as long as the link keeps filling, up to half its limit or 64, or a
  /// quarter of its limit or 256 where that is more: a busy link then moves chunks instead of single elements. An idle
  /// one is not slowed: a reader that had to park takes what woke it at once.
  @inlinable
  nonisolated(nonsending) func letFill() async {
    var seen = -1
    while true {
      let depth = depthHint.load(ordering: .relaxed)
      if depth == seen || depth >= Int(enough) { return }
      seen = depth
      await Task.yield()
    }
  }

  @inlinable
  func finish(_ end: LinkEnd) throws(PortInterruption) -> Bool {
    switch end {
    case .finished: return false
    case .failed(let failure): throw .failed(failure)
    case .cancelled: throw .cancelled
    }
  }

  // MARK: Ends

  /// One writer is done.
  @usableFromInline
  func finishWriter(_ end: LinkEnd) {
    var discards = Chunk<Element>()
    let (waiters, over) = state.withLock { state in
      var discarded = Chunk<Element>()
      let waiters = state.finishWriter(end, discards: &discarded)
      swap(&discarded, &discards)
      return (waiters, state.writers <= 0)
    }
    discards.settleAll(.abandoned)
    resume(waiters)
    if over { onClosed.withLock { $0 = Few() } }
  }

  /// Ends the writing side normally: readers get what waits, then the end.
  public func finish() { finishWriter(.finished) }

  /// Ends the writing side with a failure: readers get what waits, then the failure.
  public func fail(_ failure: StageFailure) { finishWriter(.failed(failure)) }

  /// One reader leaves. When it was the last, what waits is abandoned and senders are told that the link is closed.
  public func closeReader() {
    var discards = Chunk<Element>()
    let (waiters, closed) = state.withLock { state in
      var discarded = Chunk<Element>()
      let wasOpen = state.readers > 0
      let waiters = state.closeReader(discards: &discarded)
      swap(&discarded, &discards)
      return (waiters, wasOpen && state.readers == 0)
    }
    discards.settleAll(.abandoned)
    resume(waiters)
    if closed { callClosed() }
  }

  /// Ends the link from outside: readers get what waits and then the end, senders are told that it is closed.
  @usableFromInline
  func shutdown() {
    let waiters = state.withLock { state -> [LinkWaiter] in
      guard state.end == nil else { return [] }
      state.end = .finished
      return state.takeAllWaiters()
    }
    resume(waiters)
    callClosed()
  }

  private func callClosed() {
    for observer in onClosed.withLock({ $0.takeAll() }) { observer.linkClosed() }
  }

  /// Whether the last reader has left or the writing side has ended.
  public var isClosed: Bool { state.withLock { $0.readers == 0 || $0.end != nil } }

  // MARK: Waking

  @inlinable
  func wake(_ offer: Offer) {
    switch offer {
    case .accepted(let waiter), .full(let waiter): waiter?.continuation.resume()
    case .closed: break
    }
  }

  @inlinable
  func resume(_ waiters: [LinkWaiter]) {
    for waiter in waiters { waiter.continuation.resume() }
  }

  @inlinable
  @inline(never)
  func settle(_ discards: inout Chunk<Element>) {
    if discards.isEmpty { return }
    if case .expire = state.withLock({ $0.policy }) {
      discards.settleAll(.expired)
    } else {
      discards.settleAll(.dropped(.overflow))
    }
  }
}
