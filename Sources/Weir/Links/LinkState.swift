/// What happened to an offered element or chunk.
@frozen
@usableFromInline
enum Offer: Sendable {
  /// Taken (or disposed of by the policy); a waiting reader, if any, is to be resumed.
  case accepted(wake: LinkWaiter?)
  /// No room for what remains: wait, then offer it again. What was taken may have to wake a reader.
  case full(wake: LinkWaiter?)
  /// Nobody reads any more; what was offered stays with the caller.
  case closed
}

/// What an offer did, for callers that report it.
@frozen
@usableFromInline
struct ObservedOffer: Sendable {
  @usableFromInline let offer: Offer
  /// Whether the policy threw an element away.
  @usableFromInline let discarded: Bool
  /// Whether the link has ended by now.
  @usableFromInline let ended: Bool
  /// How many elements fit in at this moment; `Int.max` without a limit in elements.
  @usableFromInline let room: Int

  @inlinable
  init(offer: Offer, discarded: Bool, ended: Bool, room: Int) {
    self.offer = offer
    self.discarded = discarded
    self.ended = ended
    self.room = room
  }
}

/// What a reader found.
@frozen
@usableFromInline
enum TakeResult: Sendable {
  /// Elements were taken; the waiters are to be resumed.
  case taken(wake: [LinkWaiter])
  /// Nothing there yet.
  case empty
  /// Nothing will come any more.
  case ended(LinkEnd)
}

/// A task parked at a link.
@frozen
@usableFromInline
struct LinkWaiter: Sendable {
  @usableFromInline let id: UInt64
  @usableFromInline let continuation: UnsafeContinuation<Void, Never>

  @inlinable
  init(id: UInt64, continuation: UnsafeContinuation<Void, Never>) {
    self.id = id
    self.continuation = continuation
  }
}

/// The state of a link as a value: every method says what to do (whom to wake, what to discard), and does none of it.
/// The lock around it and the resuming of continuations are in ``Link``.
@frozen
@usableFromInline
struct LinkState<Element: Sendable>: ~Copyable {
  @usableFromInline var queue = ChunkQueue<Element>()
  /// Emptied chunks that keep their storage for the next elements: at most ``spareLimit``.
  @usableFromInline var spares = ChunkQueue<Element>()
  /// Weight of each waiting element, oldest first; nil where the link has no weight function.
  @usableFromInline var weights: Deque<Int>?
  @usableFromInline var count = 0
  @usableFromInline var weight = 0
  /// The limits, each `max` where there is none of its kind.
  @usableFromInline var maxElements: Int
  @usableFromInline var maxBytes: Int
  @usableFromInline var maxNanoseconds: UInt64
  @usableFromInline let policy: OverflowPolicy<Element>
  /// Named in failures.
  @usableFromInline var name: String
  /// Whether the newest waiting element is out to be combined: it counts as waiting, and the link has not ended yet.
  @usableFromInline var lent = false
  /// The policy `fail` has ended the link, and nobody has told the run yet.
  @usableFromInline var hasOverflowed = false
  /// A poke found no reader parked: the next one does not park.
  @usableFromInline var poked = false
  @usableFromInline let chunkSize: Int

  @usableFromInline var writers: Int
  @usableFromInline var readers: Int
  @usableFromInline var end: LinkEnd?
  @usableFromInline var waitingWriters = Few<LinkWaiter>()
  @usableFromInline var waitingReaders = Few<LinkWaiter>()
  @usableFromInline var counters = LinkCounters()

  @inlinable static var spareLimit: Int { 2 }

  @usableFromInline
  init(
    limit: LinkLimit, policy: OverflowPolicy<Element>, weighs: Bool, chunkSize: Int, writers: Int, readers: Int,
    name: String = "link"
  ) {
    self.policy = policy
    self.name = name
    self.chunkSize = Swift.max(1, Swift.min(chunkSize, limit.elements ?? chunkSize))
    self.writers = writers
    self.readers = readers
    maxElements = limit.elements ?? .max
    maxBytes = weighs ? limit.bytes.map { Swift.min($0, .max / 2) } ?? .max : .max
    maxNanoseconds = limit.age?.wholeNanoseconds ?? .max
    weights = weighs ? Deque() : nil
  }

  /// The limits in force.
  @usableFromInline var limit: LinkLimit {
    LinkLimit(
      elements: maxElements == .max ? nil : maxElements, bytes: maxBytes == .max ? nil : maxBytes,
      age: separate ? .nanoseconds(Int64(clamping: maxNanoseconds)) : nil)
  }

  /// Whether each element gets a chunk, and so a stamp, of its own: links with an age limit.
  @inlinable var separate: Bool { maxNanoseconds != .max }

  // MARK: Writing

  /// How many elements fit in now; `Int.max` without a limit in elements.
  @inlinable var roomInElements: Int { maxElements == .max ? .max : Swift.max(0, maxElements - count) }

  @inlinable
  func hasRoom(weight extra: Int, now: UInt64) -> Bool {
    if count == 0 { return true }
    guard count < maxElements, maxBytes == .max || weight &+ extra <= maxBytes else { return false }
    return !separate || !isTooOld(now: now)
  }

  @inlinable
  @inline(never)
  func isTooOld(now: UInt64) -> Bool {
    !queue.isEmpty && now > queue.firstStamp && now - queue.firstStamp > maxNanoseconds
  }

  /// Offers one element. `discards` receives what the policy throws away, to be destroyed outside the lock.
  @inlinable
  mutating func offer(
    _ element: Element, token: Settlement?, weight extra: Int, stamp: UInt64, discards: inout Chunk<Element>
  ) -> Offer {
    if end != nil || readers == 0 { return .closed }
    if !hasRoom(weight: extra, now: stamp) {
      switch makeRoom(for: element, token: token, weight: extra, now: stamp, discards: &discards) {
      case .room: break
      case .handled: return .accepted(wake: nil)
      case .none: return .full(wake: nil)
      }
    }
    push(element, token: token, stamp: stamp)
    if weights != nil {
      weights?.append(extra)
      weight &+= extra
    }
    return .accepted(wake: waitingReaders.popFirst())
  }

  /// The usual case of ``offer(_:token:weight:stamp:discards:)``: an open link without weights or age, with room.
  /// - Returns: false when the full method has to decide.
  @inlinable
  @inline(__always)
  mutating func pushIfRoom(_ element: Element, stamp: UInt64) -> Bool {
    guard count < maxElements, !separate, end == nil, readers > 0 else { return false }
    push(element, token: nil, stamp: stamp)
    return true
  }

  @inlinable
  mutating func nextReader() -> LinkWaiter? {
    waitingReaders.popFirst()
  }

  @inlinable
  @inline(__always)
  mutating func push(_ element: Element, token: Settlement?, stamp: UInt64) {
    if separate || !queue.appendToLast(element, size: chunkSize) { pushChunk(element, stamp: stamp) }
    if let token { _ = queue.withLast { $0.attachToLast(token) } }
    count &+= 1
    counters.accepted &+= 1
    if count > counters.highWater { counters.highWater = count }
  }

  @inlinable
  @inline(never)
  mutating func pushChunk(_ element: Element, stamp: UInt64) {
    var chunk = spares.removeFirst()
    chunk.append(element)
    queue.append(chunk, stamp: stamp == 0 ? TraceClock.monotonicNanoseconds() : stamp)
  }

  /// Offers a whole chunk; what did not fit stays in `chunk`. The link takes the storage and leaves an emptied one.
  @inlinable
  mutating func offer(_ chunk: inout Chunk<Element>, stamp: UInt64) -> Offer {
    if end != nil || readers == 0 { return .closed }
    guard hasRoom(weight: 0, now: stamp) else { return .full(wake: nil) }
    let room = maxElements &- count
    let moving = chunk.count
    if moving <= room {
      var full = spares.removeFirst()
      swap(&full, &chunk)
      queue.append(full, stamp: stamp == 0 ? TraceClock.monotonicNanoseconds() : stamp)
      admitted(moving)
      return .accepted(wake: waitingReaders.popFirst())
    }
    var part = spares.removeFirst()
    chunk.move(room, to: &part)
    queue.append(part, stamp: stamp == 0 ? TraceClock.monotonicNanoseconds() : stamp)
    admitted(room)
    return .full(wake: waitingReaders.popFirst())
  }

  @inlinable
  mutating func admitted(_ number: Int) {
    count &+= number
    counters.accepted &+= UInt64(truncatingIfNeeded: number)
    if count > counters.highWater { counters.highWater = count }
  }

  @usableFromInline
  enum Room {
    case room
    case handled
    case none
  }

  /// Applies the overflow policy to an element for which there is no room.
  @inlinable
  @inline(never)
  mutating func makeRoom(
    for element: Element, token: Settlement?, weight extra: Int, now: UInt64, discards: inout Chunk<Element>
  ) -> Room {
    switch policy {
    case .wait:
      return .none
    case .expire:
      dropExpired(now: now, discards: &discards)
      return hasRoom(weight: extra, now: now) ? .room : .none
    case .dropOldest:
      while !hasRoom(weight: extra, now: now) { discardOldest(&discards, reason: .overflow) }
      return .room
    case .dropNewest:
      discards.append(element, token: token)
      counters.accepted &+= 1
      counters.discard(.overflow)
      return .handled
    case .conflate:
      // The link lends the newest out and has it combined.
      return .none
    case .fail:
      end = .failed(StageFailure(node: name, cause: LinkOverflow(limit: limit)))
      hasOverflowed = true
      discards.append(element, token: token)
      counters.accepted &+= 1
      counters.discard(.overflow)
      return .handled
    }
  }

  /// The failure of the policy `fail`, once.
  @usableFromInline
  mutating func takeOverflow() -> StageFailure? {
    guard hasOverflowed, case .failed(let failure) = end else { return nil }
    hasOverflowed = false
    return failure
  }

  @inlinable
  @inline(never)
  mutating func discardOldest(_ discards: inout Chunk<Element>, reason: DiscardReason) {
    let emptied = queue.withFirst { chunk in
      chunk.move(1, to: &discards)
      return chunk.isEmpty
    }
    if emptied == true { recycle(queue.removeFirst()) }
    removed(1)
    counters.discard(reason)
  }

  @inlinable
  @inline(never)
  mutating func dropExpired(now: UInt64, discards: inout Chunk<Element>) {
    guard case .expire = policy, separate else { return }
    while isTooOld(now: now) { discardOldest(&discards, reason: .expired) }
  }

  // MARK: Reading

  /// Takes up to `limit` of the oldest elements. `chunk` must be empty; its storage is kept for later elements.
  @inlinable
  mutating func take(
    into chunk: inout Chunk<Element>, limit most: Int, stamp: UInt64, discards: inout Chunk<Element>
  ) -> TakeResult {
    if separate { dropExpired(now: stamp, discards: &discards) }
    if queue.isEmpty {
      if let end, !lent { return .ended(end) }
      // Whoever has left gets nothing more: waiting would be for ever.
      return readers == 0 ? .ended(.cancelled) : .empty
    }
    if queue.firstCount <= most {
      var next = queue.removeFirst()
      swap(&next, &chunk)
      recycle(next)
    } else {
      var part = Chunk<Element>()
      swap(&part, &chunk)
      _ = queue.withFirst { $0.move(most, to: &part) }
      swap(&part, &chunk)
    }
    removed(chunk.count)
    counters.delivered &+= UInt64(truncatingIfNeeded: chunk.count)
    if waitingWriters.isEmpty && (waitingReaders.isEmpty || count == 0) { return .taken(wake: []) }
    return .taken(wake: toWakeAfterTake())
  }

  @inlinable
  mutating func recycle(_ chunk: consuming Chunk<Element>) {
    if chunk.capacity > 0, spares.count < LinkState.spareLimit { spares.append(chunk, stamp: 0) }
  }

  @inlinable
  mutating func removed(_ number: Int) {
    count &-= number
    if weights != nil { removeWeights(number) }
  }

  @inlinable
  @inline(never)
  mutating func removeWeights(_ number: Int) {
    for _ in 0..<number { weight -= weights?.removeFirst() ?? 0 }
  }

  /// Writers wait until the link is at most half full, so that one wake-up buys room for many elements.
  @inlinable
  @inline(never)
  mutating func toWakeAfterTake() -> [LinkWaiter] {
    var waiters: [LinkWaiter] = []
    let relaxed = count <= maxElements / 2 && (maxBytes == .max || weight <= maxBytes / 2)
    if relaxed || separate { waiters = waitingWriters.takeAll() }
    if count > 0, let reader = waitingReaders.popFirst() { waiters.append(reader) }
    return waiters
  }
}
