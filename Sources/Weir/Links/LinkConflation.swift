import Synchronization

/// How a link with the policy ``OverflowPolicy/conflate(_:)`` combines elements outside of its lock: readers and whoever
/// looks at the link never wait for the user's closure, and the closure may look at the graph it runs in.
@usableFromInline
final class LinkConflation<Element: Sendable>: Sendable {
  /// Makes one of the newest waiting element and the new one.
  @usableFromInline let combine: @Sendable (Element, Element) -> Element
  /// Held by the one writer that writes: another one must not put an element where the combination returns to.
  @usableFromInline let writing = Mutex<Void>(())

  @usableFromInline
  init(_ combine: @escaping @Sendable (Element, Element) -> Element) { self.combine = combine }
}

/// The newest waiting element, lent to a writer that combines it with a new one. Its place stays taken.
@usableFromInline
struct LentElement<Element: Sendable>: Sendable {
  let element: Element
  let token: Settlement?
  let stamp: UInt64
}

extension Link {
  /// Offers one element to a link that conflates.
  @usableFromInline
  func offer(
    _ element: Element, token: Settlement?, weight: Int, stamp: UInt64, conflation: LinkConflation<Element>
  ) -> ObservedOffer {
    conflation.writing.withLock { _ -> ObservedOffer in
      let (observed, lent) = state.withLock { state -> (ObservedOffer, LentElement<Element>?) in
        var none = Chunk<Element>()
        let offer = state.offer(element, token: token, weight: weight, stamp: stamp, discards: &none)
        depthHint.store(state.count, ordering: .relaxed)
        guard case .full = offer, let lent = state.lendNewest() else { return (state.observed(offer), nil) }
        return (state.observed(.accepted(wake: nil)), lent)
      }
      guard let lent else {
        wake(observed.offer)
        return observed
      }
      let combined = conflation.combine(lent.element, element)
      return putBack(combined, weight: weigh?(combined) ?? 0, of: lent, token: token)
    }
  }

  private func putBack(
    _ combined: Element, weight: Int, of lent: LentElement<Element>, token: Settlement?
  ) -> ObservedOffer {
    let (observed, abandoned, waiters) = state.withLock { state -> (ObservedOffer, Settlement?, [LinkWaiter]) in
      let abandoned = state.putBack(combined, weight: weight, of: lent, token: token)
      depthHint.store(state.count, ordering: .relaxed)
      let waiters = state.end == nil ? state.nextReader().map { [$0] } ?? [] : state.takeAllWaiters()
      return (state.observed(.accepted(wake: nil)), abandoned, waiters)
    }
    abandoned?.settle(.abandoned)
    resume(waiters)
    return observed
  }
}

extension LinkState {
  @usableFromInline
  func observed(_ offer: Offer) -> ObservedOffer {
    ObservedOffer(offer: offer, discarded: false, ended: end != nil, room: roomInElements)
  }

  /// Takes the newest waiting element out and keeps its place.
  @usableFromInline
  mutating func lendNewest() -> LentElement<Element>? {
    let stamp = queue.lastStamp
    let newest = queue.withLast { chunk in (chunk.popLastTracked(), chunk.isEmpty) }
    guard let (taken, emptied) = newest, let taken else { return nil }
    if emptied { recycle(queue.removeLast()) }
    lent = true
    if let old = weights?.removeLast() { weight &-= old }
    return LentElement(element: taken.element, token: taken.token, stamp: stamp)
  }

  /// Puts what was combined where the lent element was. One token settles both: however many are combined, their tokens
  /// stand in one list.
  /// - Returns: the token to settle, when nobody reads any more and the combination is abandoned.
  @usableFromInline
  mutating func putBack(
    _ combined: Element, weight extra: Int, of lentElement: LentElement<Element>, token: Settlement?
  ) -> Settlement? {
    lent = false
    let both = token.map { Settlement.replacing(lentElement.token, by: $0) } ?? lentElement.token
    counters.accepted &+= 1
    counters.conflated &+= 1
    guard readers > 0, !isCancelled else {
      count &-= 1
      counters.abandoned &+= 1
      return both
    }
    if separate || !queue.appendToLast(combined, size: chunkSize) { pushChunk(combined, stamp: lentElement.stamp) }
    if let both { _ = queue.withLast { $0.attachToLast(both) } }
    weights?.append(extra)
    if weights != nil { weight &+= extra }
    return nil
  }

  private var isCancelled: Bool {
    if case .cancelled = end { return true }
    return false
  }
}
