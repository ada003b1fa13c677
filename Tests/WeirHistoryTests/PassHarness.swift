import Synchronization
import Weir
import WeirHistory
import WeirStore

/// Collects what callbacks tell.
final class Notes<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  func add(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}

/// One reader of a history, whose passes are run until all is read.
struct PassHarness: Sendable {
  let history: History
  let author: String
  let observers: HistoryObservers
  let hooks: HistoryMergeHooks
  let events = Notes<HistoryEvent>()
  var targets: [MergeTarget] = [.rows("projection", PassHarness.project)]
  var settings = HistorySource.Settings()

  init(_ history: History, as author: String = "app") {
    self.history = history
    self.author = author
    let events = events
    observers = HistoryObservers { events.add($0) }
    hooks = HistoryMergeHooks { events.add($0) }
    settings.report = { events.add($0) }
  }

  /// Keeps `projection` as `person` is, for the rows that changed.
  static func project(_ connection: Connection, _ transactions: [HistoryTransaction]) throws {
    let put = try connection.prepare(
      "INSERT INTO projection SELECT id, name FROM person WHERE id = ?1 ON CONFLICT (id) DO UPDATE SET name = excluded.name"
    )
    let drop = try connection.prepare(
      "DELETE FROM projection WHERE id = ?1 AND id NOT IN (SELECT id FROM person WHERE id = ?1)")
    for change in transactions.flatMap(\.changes) where change.entity == "Person" {
      guard case .integer(let id) = change.key[0] else { continue }
      let statement = change.operation == .delete ? drop : put
      statement.bind(id, at: 1)
      try statement.run()
    }
  }

  /// Runs until the position is at the head of now, or `isDone` says that it is enough.
  func run(until isDone: (@Sendable () async throws -> Bool)? = nil) async throws {
    let head = try await history.now().seq
    let flow = try Blueprint("history") { graph in
      graph.source("history", HistorySource(history, author: author, settings: settings))
        .via("observers", observers)
        .via("merge hooks", hooks)
        .via(
          "default merge",
          HistoryMerge(history, into: targets, observers: observers, report: { [events] in events.add($0) })
        )
        .ignore("merged")
    }
    try await flow.run { live in
      while !live.isEnded {
        if let isDone {
          if try await isDone() { break }
        } else if let cursor = try? await history.cursor(of: author).seq, cursor >= head {
          break
        }
        try await Task.sleep(for: .milliseconds(1))
      }
      // What is settled after the commit is told as well.
      _ = await live.drain(deadline: .seconds(60))
    }
  }

  var deadLetters: [Int64] { events.all.compactMap { if case .deadLettered(let seq, _, _) = $0 { seq } else { nil } } }
  var merged: [Int64] {
    events.all.flatMap { event -> [Int64] in if case .merged(let seqs, _) = event { seqs } else { [] } }
  }
  var failures: [PassFailure] { events.all.compactMap { if case .failed(let failure) = $0 { failure } else { nil } } }
  var cleanings: [HistoryCleaning] { events.all.compactMap { if case .cleaned(let one) = $0 { one } else { nil } } }
}

extension History {
  /// The first number of a query, on a connection of its own.
  func number(_ sql: String) async throws -> Int64 {
    try Connection(path: path, options: .reader).prepare(sql).firstInt64() ?? 0
  }

  /// The first text of a query, on a connection of its own.
  func text(_ sql: String) async throws -> String? {
    try Connection(path: path, options: .reader).prepare(sql).firstString()
  }

  /// Moves a reader to the head without hooks.
  func catchUp(_ author: String) async throws {
    var harness = PassHarness(self, as: author)
    harness.targets = []
    try await harness.run()
  }
}
