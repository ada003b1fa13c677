import WeirChat
import WeirStore

/// The projection on disk, from decoded facts to acknowledged commits, beside a plain loop over SQLite's C interface that
/// leaves the same rows in the same tables, and beside the tables of text that most clients begin with. Every one goes on
/// with a file that holds 100,000 facts.
let store = Family(
  name: "store", title: "facts to rows on disk, in files of 100,000 facts",
  cases: sizes.flatMap { $0.cases(.wall) } + whole.flatMap { $0.cases(.processor) }
    + whole.flatMap { $0.cases(.written) },
  comparisons: sizes.flatMap { $0.comparisons(.wall) } + whole.flatMap { $0.comparisons(.processor) }
    + whole.flatMap { $0.comparisons(.written) })

private let sizes = [
  Size(1, false), Size(16, false), Size(256, false), Size(1, true), Size(16, true), Size(256, true),
]
/// Where processor time and written bytes are looked at too.
private let whole = [Size(256, false)]

/// A way to store facts.
private enum Way: String, CaseIterable {
  case store = "store"
  case plain = "C interface"
  case text = "text tables"
}

/// A size of transactions with how far their COMMIT reaches.
private struct Size: Sendable {
  let batch: Int
  let isFull: Bool

  init(_ batch: Int, _ isFull: Bool) { (self.batch, self.isFull) = (batch, isFull) }

  private var count: Int { batch == 1 ? 3_000 : batch == 16 ? 16_000 : 50_000 }

  func cases(_ part: Spent.Part) -> [Case] {
    Way.allCases.map { way in
      Case(name(way, part), unit: part == .written ? .bytes : .perElement, count: count) { count in
        try await run(way, count)[part] / Double(count)
      }
    }
  }

  func comparisons(_ part: Spent.Part) -> [Comparison] {
    let store = name(.store, part)
    if part == .written {
      return [.reading(store, goal: 10_240), .cost(store, of: name(.plain, part)), .cost(store, of: name(.text, part))]
    }
    return [
      .speedup(store, over: name(.plain, part), goal: 0.9),
      .speedup(store, over: name(.text, part), goal: batch == 256 ? 2.5 : nil),
    ]
  }

  private func name(_ way: Way, _ part: Spent.Part) -> String {
    let words = "\(way.rawValue), \(isFull ? "FULL" : "NORMAL") \(batch)"
    return switch part {
    case .wall: words
    case .processor: words + ", processor time"
    case .written: words + ", written"
    }
  }

  /// Stores the next `count` facts once.
  private func run(_ way: Way, _ count: Int) async throws -> Spent {
    var spent: Spent?
    _ = try await StoreFiles.with(way == .text ? .text : .store, count: base(count)) { directory, load in
      let facts = load.next(count)
      switch way {
      case .store:
        let store = try await openStore(directory, isFull: isFull)
        spent = try await Spent { try await write(facts, to: store, batch: batch) }
        try await store.close()
      case .plain:
        spent = try await timed(facts, try PlainLoop(path: directory + "/store.db", isFull: isFull))
      case .text:
        spent = try await timed(facts, try TextTables(path: directory + "/text.db", isFull: isFull))
      }
      return 0
    }
    guard let spent else { throw BenchmarkError.peer("nothing was stored") }
    return spent
  }

  /// A tenth in a quick run, as all counts.
  private func base(_ count: Int) -> Int { count < self.count ? 10_000 : 100_000 }

  private func timed(_ facts: [Fact], _ table: any FactTable) async throws -> Spent {
    try await Spent {
      for start in stride(from: 0, to: facts.count, by: batch) {
        try table.store(facts[start..<min(start + batch, facts.count)])
      }
    }
  }
}

/// Stores facts, so many a call, one call after the other.
func write(_ facts: [Fact], to store: SQLiteMessageStore, batch: Int) async throws {
  for start in stride(from: 0, to: facts.count, by: batch) {
    _ = try await store.apply(Array(facts[start..<min(start + batch, facts.count)]))
  }
}
