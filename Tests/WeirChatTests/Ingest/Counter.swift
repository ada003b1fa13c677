import ChatFixtures
import Synchronization

/// Counts calls, and draws random numbers, from closures that may be called anywhere.
final class Counter: Sendable {
  private let state: Mutex<(count: Int, random: SeededRandom)>

  init(_ random: SeededRandom = SeededRandom(0)) { state = Mutex((0, random)) }

  /// The number of this call, from 1.
  func next() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count
    }
  }

  func withRandom<Value: Sendable>(_ body: @Sendable (inout SeededRandom) -> Value) -> Value {
    state.withLock { body(&$0.random) }
  }
}
