/// What a source probe has seen and promised. A pure value.
struct SourceProbeState<Element: Sendable>: Sendable {
  enum Ending: Sendable {
    case open
    case finished
    case failed(any Error)
  }

  enum Delivery: Sendable {
    case element(Element)
    case end
    case failure(any Error)
  }

  private(set) var demand = 0
  private(set) var requested = 0
  private(set) var delivered = 0
  private(set) var cancellations = 0
  private(set) var iteratorsMade = 0
  private(set) var iteratorsDestroyed = 0
  private(set) var ending = Ending.open
  // Handed over by `send` and not yet picked up; never longer than the number of waiting `next` calls.
  private var inbox: [Element] = []

  var isOpen: Bool {
    if case .open = ending { true } else { false }
  }

  var consumerGone: Bool { iteratorsMade > 0 && iteratorsMade == iteratorsDestroyed }

  mutating func makeIterator() {
    iteratorsMade += 1
  }

  mutating func destroyIterator() {
    iteratorsDestroyed += 1
  }

  mutating func beginNext() {
    demand += 1
    requested += 1
  }

  mutating func cancelNext() {
    demand -= 1
    cancellations += 1
  }

  /// A `next` call while its task was already cancelled: no demand arises.
  mutating func refuseNext() {
    cancellations += 1
  }

  /// What a waiting `next` gets, if anything yet. A failure is delivered once, after it the source has finished.
  mutating func takeNext() -> Delivery? {
    if !inbox.isEmpty {
      delivered += 1
      return .element(inbox.removeFirst())
    }
    switch ending {
    case .open:
      return nil
    case .finished:
      demand -= 1
      return .end
    case .failed(let error):
      demand -= 1
      ending = .finished
      return .failure(error)
    }
  }

  /// Hands `element` to a waiting `next`; nil when none waits.
  mutating func offer(_ element: Element) -> Result<Void, ProbeError>? {
    guard isOpen else { return .failure(.sourceEnded) }
    if demand > 0 {
      demand -= 1
      inbox.append(element)
      return .success(())
    }
    return consumerGone ? .failure(.consumerGone) : nil
  }

  mutating func end(_ newEnding: Ending) {
    if isOpen { ending = newEnding }
  }
}
