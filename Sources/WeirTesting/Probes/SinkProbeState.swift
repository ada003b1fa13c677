/// What a sink probe has asked for and received. A pure value.
struct SinkProbeState<Element: Sendable>: Sendable {
  private(set) var requested = 0
  private(set) var pulled = 0
  private(set) var received: [Element] = []
  private(set) var ending: SinkEnding?
  private(set) var isClosing = false
  // How much of `received` the test has already been given.
  private var consumed = 0

  var unread: Int { received.count - consumed }

  /// Asks for so many elements on top of all asked for before.
  mutating func demand(_ count: Int) {
    requested += max(count, 0)
  }

  /// Sees to it that `count` elements beyond those already given are asked for.
  mutating func demandUnread(_ count: Int) {
    let (target, overflow) = consumed.addingReportingOverflow(count)
    requested = max(requested, overflow ? .max : target)
  }

  /// Whether the pump may pull one element: nil to wait, false to stop.
  mutating func beginPull() -> Bool? {
    if isClosing { return false }
    guard pulled < requested else { return nil }
    pulled += 1
    return true
  }

  mutating func receive(_ element: Element) {
    received.append(element)
  }

  mutating func end(_ newEnding: SinkEnding) {
    if ending == nil { ending = newEnding }
  }

  mutating func close() {
    isClosing = true
  }

  /// The next `count` unread elements, or fewer once the sequence has ended; nil to wait.
  mutating func take(_ count: Int) -> [Element]? {
    guard unread >= count || ending != nil else { return nil }
    let end = consumed + min(count, unread)
    defer { consumed = end }
    return Array(received[consumed..<end])
  }
}

/// How the sequence under a sink probe came to its end.
public enum SinkEnding: Sendable {
  /// It returned nil.
  case finished
  /// It threw.
  case failed(any Error)
  /// It was left without being asked again, because the sink was cancelled or its scope ended.
  case cancelled
}
