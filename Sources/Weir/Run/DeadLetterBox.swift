import Synchronization

/// Where given-up elements of one run go: into the dead-letter outlet, when the blueprint has one.
///
/// The outlet ends when every task with a node in front of it has ended. A letter never makes its sender wait: the
/// link behind the outlet drops the oldest letter when it is full, and counts it.
final class DeadLetterBox: Sendable {
  private struct State {
    var link: Link<DeadLetter>?
    /// Nodes behind the outlet: their own failures would feed themselves.
    var behind: Set<Int> = []
    /// Tasks in front of the outlet that are still going.
    var open = 0
  }

  private let state = Mutex(State())

  func attach(_ link: Link<DeadLetter>, behind: Set<Int>) {
    state.withLock { state in
      state.link = link
      state.behind = behind
    }
  }

  /// - Returns: false when there is no outlet that could take it.
  func post(_ letter: DeadLetter, from node: Int) -> Bool {
    guard let link = state.withLock({ $0.behind.contains(node) ? nil : $0.link }) else { return false }
    if case .accepted = link.offer(letter) { return true }
    return false
  }

  /// Announces the tasks before they start.
  func expect(_ segments: [Segment]) {
    state.withLock { state in
      state.open = segments.count { feeds($0, state) }
    }
    finishIfDone()
  }

  func ended(_ segment: Segment) {
    let counts = state.withLock { state in
      guard state.link != nil, feeds(segment, state) else { return false }
      state.open -= 1
      return true
    }
    if counts { finishIfDone() }
  }

  /// Whether a task may post letters: it runs a node in front of the outlet. Tasks without nodes only move elements.
  private func feeds(_ segment: Segment, _ state: State) -> Bool {
    segment.meters.array.contains { !state.behind.contains($0.node) }
  }

  private func finishIfDone() {
    let link = state.withLock { state -> Link<DeadLetter>? in
      guard state.open == 0 else { return nil }
      let link = state.link
      state.link = nil
      return link
    }
    link?.finish()
  }
}
