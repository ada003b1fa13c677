import Weir
import WeirChat

/// What a replay came to.
struct ReplaySummary: Sendable {
  let options: ReplayOptions
  let counts: ReplayTally.Counts
  let refusals: RefusalLog.Report
  /// Counters and clocks of the graph at its end.
  let snapshot: GraphSnapshot
  /// Time from the start of the graph to its end.
  let elapsed: Duration
  /// Whether the user stopped it.
  let stopped: Stopped.State
  /// Revision of the store before the run.
  let revisionBefore: Int64

  /// Exact repetitions that the dedupe window recognised.
  var mergedByWindow: Int { snapshot.mergedByWindow }

  /// Lines that the store did not need to see, by rule.
  var events: Int { counts.events.values.reduce(0, +) }

  /// Facts dropped by hooks.
  var dropped: Int { counts.dropped.values.reduce(0, +) }

  /// Lines a second.
  var rate: Double { elapsed > .zero ? Double(counts.lines) / (elapsed / .seconds(1)) : 0 }

  /// Lines whose end is not known: read, but still on their way when the run was abandoned. Zero after a normal end.
  var unsettled: Int { counts.lines + counts.more - counts.settled(merged: mergedByWindow, refused: refusals.total) }

  /// Prints it in the form the user asked for.
  func print(_ options: ReplayOptions, _ store: SQLiteMessageStore, _ output: SharedOutput) async throws {
    let totals = try await store.totals()
    let hash = options.showsHash ? try await store.contentHash().value : nil
    if options.isJSON {
      try await SummaryJSON(summary: self, totals: totals, hash: hash).print(store, output)
    } else {
      try await SummaryText(summary: self, totals: totals, hash: hash).print(store, output)
    }
    try output.flush()
  }
}

extension GraphSnapshot {
  /// Exact repetitions that the dedupe window has recognised.
  var mergedByWindow: Int { Int(clamping: self[node: "dedupe"]?.filtered ?? 0) }
}

/// The conversations of a store, those with the latest message first, a page at a time.
struct ConversationPages {
  private static let size = 256
  private let store: SQLiteMessageStore
  private var rest: Int
  private var position: ConversationPosition?

  /// The first `limit` conversations; nil for all.
  init(_ store: SQLiteMessageStore, limit: Int?) {
    self.store = store
    rest = limit ?? .max
  }

  /// The next page; nil after the last one.
  mutating func next() async throws -> [ConversationSummary]? {
    let size = min(Self.size, rest)
    guard size > 0 else { return nil }
    let page = try await store.conversations(after: position, limit: size).value
    rest = page.count < size ? 0 : rest - page.count
    position = page.last?.position
    return page.isEmpty ? nil : page
  }
}
