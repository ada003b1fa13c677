import Synchronization

/// What became of a yielded element.
public enum YieldResult: Sendable, Hashable {
  /// Taken. So many more fit in at this moment; at 0, wait for the demand to be announced. `Int.max` where the link
  /// has no limit in elements.
  case accepted(remaining: Int)
  /// Not taken, the caller keeps it: offer it again when demand is announced. Only with policies that wait.
  case full
  /// There was no room, and the overflow policy discarded an element: the oldest one or this one.
  case dropped
  /// Not taken: the source is over, nothing is taken any more.
  case ended
}

/// How a callback source came to its end.
public enum CallbackEnd: Sendable, Hashable {
  /// By ``CallbackEmitter/finish()``.
  case finished
  /// By ``CallbackEmitter/fail(_:)``, or because the closure that registers the callbacks threw.
  case failed
  /// The graph was drained or aborted, downstream wants no more, or the link overflowed under the policy `fail`.
  case stopped
}

/// The hand with which a callback API feeds a graph.
///
/// Every method may be called from any thread or task, also from inside the handlers; nothing waits. Handlers are called
/// one after another for each kind, never under a lock, from the source's task or from the thread that ended the source.
/// After the end all methods do nothing, and the graph is no longer kept alive by the emitter.
public final class CallbackEmitter<Element: Sendable>: Sendable {
  /// The parts of the run that the source uses, given up at its end.
  struct Target: Sendable {
    let link: Link<Element>
    let writer: WriterPort<Element>
    let node: NodeRun
  }

  private struct State {
    var target: Target?
    var end: CallbackEnd?
    /// Weight of an element that found no room, until demand has been announced.
    var refused: Int?
    var onDemand: (@Sendable (Int) -> Void)?
    var onEnd: (@Sendable (CallbackEnd) -> Void)?
  }

  private let state: Mutex<State>
  let bell = Bell()

  init(_ target: Target) { state = Mutex(State(target: target)) }

  // MARK: For the producer

  /// Offers an element.
  @discardableResult
  public func yield(_ element: Element) -> YieldResult {
    guard let target = state.withLock({ $0.target }) else { return .ended }
    let result = target.link.yield(element)
    switch result {
    case .accepted(let remaining):
      target.node.meter.countOut(1)
      target.node.showTaps(element)
      if remaining == 0 { refuse(weight: 0) }
    case .dropped:
      // Emitted here, discarded by the link: each counts its part.
      target.node.meter.countOut(1)
      target.node.showTaps(element)
    case .full:
      refuse(weight: target.link.weigh?(element) ?? 0)
    case .ended:
      bell.ring()
    }
    return result
  }

  /// Ends the source; what was yielded before flows on.
  public func finish() { end(.finished) { target in target.writer.finish(.finished) } }

  /// Ends the source with a failure, after what was yielded before.
  public func fail(_ error: any Error) {
    end(.failed) { target in target.writer.finish(.failed(target.node.fail(error))) }
  }

  /// Sets the handler that hears of demand: once at the start, and each time there is room again after a yield was
  /// answered with ``YieldResult/full`` or with 0 remaining. It gets the number of elements that fit at this moment.
  public func onDemand(_ handler: @escaping @Sendable (_ room: Int) -> Void) {
    state.withLock { $0.onDemand = $0.end == nil ? handler : nil }
  }

  /// Sets the handler that hears of the end, whichever way it comes: once. At once when the source is over already.
  public func onEnd(_ handler: @escaping @Sendable (CallbackEnd) -> Void) {
    let end = state.withLock { state -> CallbackEnd? in
      if state.end == nil { state.onEnd = handler }
      return state.end
    }
    if let end { handler(end) }
  }

  // MARK: For the source's task

  var isOver: Bool { state.withLock { $0.end != nil } }

  /// Weight of the element that waits for room, if one does.
  var refusedWeight: Int? { state.withLock { $0.refused } }

  /// Tells the producer how much fits now.
  func announceDemand() {
    let (target, handler) = state.withLock { state in
      state.refused = nil
      return (state.target, state.onDemand)
    }
    guard let target else { return }
    let room = target.link.roomInElements
    if room > 0 { handler?(room) } else { refuse(weight: 0) }
  }

  func stop() { end(.stopped) { target in target.writer.finish(.finished) } }

  private func refuse(weight: Int) {
    state.withLock { state in
      if state.end == nil { state.refused = max(state.refused ?? 0, weight) }
    }
    bell.ring()
  }

  private func end(_ end: CallbackEnd, _ finish: (Target) -> Void) {
    let (target, handler) = state.withLock { state -> (Target?, (@Sendable (CallbackEnd) -> Void)?) in
      guard state.end == nil else { return (nil, nil) }
      state.end = end
      let target = state.target
      let handler = state.onEnd
      state.target = nil
      state.onEnd = nil
      state.onDemand = nil
      return (target, handler)
    }
    guard let target else { return }
    finish(target)
    bell.ring()
    handler?(end)
  }
}

extension Link {
  /// Offers one element without waiting, and tells what the policy did.
  fileprivate func yield(_ element: Element) -> YieldResult {
    let observed = offerObserved(element, token: nil, stamp: clock.now())
    switch observed.offer {
    case .closed: return .ended
    case .full: return .full
    case .accepted:
      // The policy `fail` accepts nothing: it ends the link.
      if observed.ended { return .ended }
      return observed.discarded ? .dropped : .accepted(remaining: observed.room)
    }
  }

  fileprivate var roomInElements: Int { state.withLock { $0.roomInElements } }
}
