import Synchronization
import Weir
import WeirTesting

@testable import WeirChat

/// Something to observe on the simulated thread: a number for each conversation, and a revision. A commit and its hint,
/// and the parts of a query, are apart by as many steps as the seed wants.
final class ToyStore: Sendable {
  private struct State {
    var revision: Int64 = 0
    var values: [String: Int] = [:]
    var queries = 0
    var running = 0
    var mostRunning = 0
  }

  private let state = Mutex(State())
  let hub: EventHub

  init(_ hub: EventHub) { self.hub = hub }

  var revision: Int64 { state.withLock { $0.revision } }
  var queries: Int { state.withLock { $0.queries } }
  /// The most queries that were under way at once.
  var mostRunning: Int { state.withLock { $0.mostRunning } }

  func value(_ conversation: String) -> Int { state.withLock { $0.values[conversation, default: 0] } }

  /// Changes a conversation, without a hint. The revision of the change.
  @discardableResult
  func commit(_ conversation: String) -> Int64 {
    state.withLock { state in
      state.revision += 1
      state.values[conversation, default: 0] += 1
      return state.revision
    }
  }

  /// Changes nothing that is asked for, as many times.
  func skip(_ count: Int64) { state.withLock { $0.revision += count } }

  /// Changes a conversation and publishes the hint.
  func write(_ conversation: String) { hub.publish(upserted(commit(conversation), in: conversation)) }

  /// An answer from a snapshot that is taken at once and given out `delay` steps later.
  func query(_ conversation: String, delay: Int = 0) async -> Snapshot<Int> {
    let answer = state.withLock { state in
      state.queries += 1
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
      return Snapshot(state.values[conversation, default: 0], at: state.revision)
    }
    for _ in 0..<delay { await Task.yield() }
    state.withLock { $0.running -= 1 }
    return answer
  }

  /// The page of a conversation.
  func observed(
    _ conversation: String, clock: GraphClock = .continuous, every interval: Duration = .zero, limit: Int = 8,
    delay: Int = 0
  ) -> ObservedQuery<Int, Never> {
    ObservedQuery(
      hub, interest: Interest([.messages(in: conversation)]), atMostEvery: interval, clock: clock, limit: limit
    ) { await self.query(conversation, delay: delay) }
  }
}

/// What a page shows, as its reader last heard.
final class Page<Value: Sendable>: Sendable {
  private let state = Mutex<[Snapshot<Value>]>([])
  var all: [Snapshot<Value>] { state.withLock { $0 } }
  var last: Value? { all.last?.value }

  func show(_ answer: Snapshot<Value>) { state.withLock { $0.append(answer) } }

  /// Shows every answer of a query until the hub closes or the task is cancelled.
  func follow<Failure>(_ query: ObservedQuery<Value, Failure>) async throws {
    for try await answer in query { show(answer) }
  }
}

/// Runs readers beside a body and stops them after it.
func withReaders(
  _ readers: [@Sendable () async throws -> Void], _ body: () async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for reader in readers { group.addTask { try await reader() } }
    try await body()
    group.cancelAll()
    try await group.waitForAll()
  }
}

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  func change(_ body: @Sendable (inout Value) -> Void) { state.withLock { body(&$0) } }
}
