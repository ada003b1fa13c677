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
    /// Room that has been announced and not been used yet.
    var announced = 0
    /// Set when demand is to be announced, as soon as there is room for an element of this weight.
    var wanted: Int?
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
      used(remaining: remaining)
    case .dropped:
      // Emitted here, discarded by the link: each counts its part.
      target.node.meter.countOut(1)
      target.node.showTaps(element)
    case .full:
      want(weight: target.link.weigh?(element) ?? 0)
    case .ended:
      bell.ring()
    }
    return result
  }

  /// Ends the source; what was yielded before flows on.
  public func finish() { end(.finished) { target in target.writer.finish(.finished) } }

  /// Ends the source with a failure, after what was yielded before.
  public func fail(_ error: any Error) {
    end(.failed) { target in
      target.node.meter.countError()
      target.writer.finish(.failed(target.node.fail(error)))
    }
  }

  /// Sets the handler that hears of demand. It gets the number of elements that fit at this moment: once when it has been
  /// set, and again whenever there is room after that many have been yielded, or after a yield was answered with
  /// ``YieldResult/full`` or with 0 remaining. A producer that yields no more than it was told is never refused.
  public func onDemand(_ handler: @escaping @Sendable (_ room: Int) -> Void) {
    state.withLock { $0.onDemand = $0.end == nil ? handler : nil }
    want(weight: 0)
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

  /// Weight for which there has to be room before demand is announced; nil while nobody waits for that.
  var wantedWeight: Int? { state.withLock { $0.wanted } }

  /// Tells the producer how much fits now.
  func announceDemand() {
    guard let target = state.withLock({ $0.target }) else { return }
    let room = target.link.roomInElements
    let handler = state.withLock { state -> (@Sendable (Int) -> Void)? in
      // Without room someone else was quicker: keep waiting.
      guard room > 0 else { return nil }
      state.wanted = nil
      state.announced = room
      return state.onDemand
    }
    handler?(room)
  }

  func stop() { end(.stopped) { target in target.writer.finish(.finished) } }

  /// An element has been taken.
  private func used(remaining: Int) {
    let isUsedUp = state.withLock { state in
      if state.announced > 0, state.announced < .max { state.announced -= 1 }
      return state.announced == 0
    }
    if isUsedUp || remaining == 0 { want(weight: 0) }
  }

  private func want(weight: Int) {
    let isHeard = state.withLock { state in
      guard state.onDemand != nil else { return false }
      state.wanted = max(state.wanted ?? 0, weight)
      return true
    }
    if isHeard { bell.ring() }
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
