import Synchronization
import Testing
import Weir
import WeirHistory
import WeirStore

/// The tracker as a whole: cases 45–49, 52 and 55–59, gaps G10–G12 and G21 of the history spec.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TrackerTests {
  /// Keeps what is said.
  private final class Lines: HistoryLogger {
    let notes = Notes<String>()
    func log(_ kind: HistoryLogKind, _ message: String) { notes.add("\(kind.rawValue) \(message)") }
  }

  private func prepared() async throws -> (HistoryFixture, History) {
    let fixture = try HistoryFixture()
    return (fixture, try await fixture.open())
  }

  private func tracker(
    _ history: History, as author: String = "app", logger: any HistoryLogger = PrintingHistoryLogger(),
    level: HistoryLogLevel = .none, autoStart: Bool = true
  ) async throws -> HistoryTracker {
    try await HistoryTracker(
      history, currentAuthor: author, targets: [.rows("projection", PassHarness.project)], logger: logger,
      logLevel: level, autoStart: autoStart)
  }

  @Test func `case 55: what is written while it runs is merged, and after its stop nothing moves`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let tracker = try await tracker(history)
    try await history.insert("a", as: "ext")
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    await tracker.stopAndWait()
    try await history.insert("b", as: "ext")
    #expect(try await history.cursor(of: "app").seq == 1)
    tracker.start()
    tracker.start()
    try await eventually { try await history.cursor(of: "app").seq == 2 }
    await tracker.stopAndWait()
    await history.close()
  }

  @Test func `G10: a backlog is merged at the start, without any event`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    try await history.register("app")
    for number in 0..<700 { try await history.insert("\(number)", as: "ext") }
    await history.close()
    let again = try await fixture.open()
    let tracker = try await tracker(again)
    try await eventually { try await again.cursor(of: "app").seq == 700 }
    #expect(try await again.number("SELECT count(*) FROM projection") == 700)
    await tracker.stopAndWait()
    await again.close()
  }

  @Test func `G11: a stop in the middle of a pass leaves it whole or undone, and the next start goes on`() async throws
  {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let tracker = try await tracker(history, autoStart: false)
    let entered = Notes<Int64>()
    try tracker.registerMergeHook { input in
      entered.add(input.transactions[0].seq)
      if entered.all.count == 1 { try await Task.sleep(for: .seconds(3_600)) }
      return .goOn
    }
    try await history.insert("a", as: "ext")
    try await history.insert("b", as: "ext")
    tracker.start()
    try await eventually { entered.all.count == 1 }
    await tracker.stopAndWait()
    #expect(try await history.cursor(of: "app").seq == 0)
    #expect(try await history.deadLetters().isEmpty)
    tracker.start()
    try await eventually { try await history.cursor(of: "app").seq == 2 }
    #expect(try await history.number("SELECT count(*) FROM projection") == 2)
    await tracker.stopAndWait()
    await history.close()
  }

  @Test func `G12: released without a stop it is gone, also in the middle of a pass`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let entered = Notes<Bool>()
    let left = Notes<Bool>()
    var held: HistoryTracker? = try await tracker(history)
    try held?.registerMergeHook { _ in
      entered.add(true)
      defer { left.add(true) }
      try await Task.sleep(for: .seconds(3_600))
      return .goOn
    }
    try await history.insert("a", as: "ext")
    try await eventually { !entered.all.isEmpty }
    weak let released = held
    held = nil
    #expect(released == nil)
    try await eventually { !left.all.isEmpty }
    await history.close()
  }

  @Test func `cases 58, 59: observers and hooks registered on the tracker are called, and removed as said`()
    async throws
  {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let tracker = try await tracker(history)
    let calls = Notes<String>()
    let observer = tracker.registerObserver(entityName: "Person", operation: .insert) { contexts in
      calls.add("observer \(contexts[0].entityName) \(contexts[0].operation)")
    }
    let hook = try tracker.registerMergeHook { input in
      calls.add("hook \(input.transactions.count)")
      return .goOn
    }
    try tracker.registerMergeHook(before: hook) { _ in
      calls.add("before")
      return .goOn
    }
    try await history.insert("a", as: "ext")
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    #expect(calls.all == ["observer Person insert", "before", "hook 1"])
    #expect(tracker.removeObserver(id: observer) && !tracker.removeObserver(id: observer))
    #expect(tracker.removeMergeHook(id: hook) && !tracker.removeMergeHook(id: hook))
    tracker.removeAllMergeHooks()
    tracker.removeObserver(entityName: "Person", operation: .insert)
    tracker.removeAllObservers()
    try await history.insert("b", as: "ext")
    try await eventually { try await history.cursor(of: "app").seq == 2 }
    #expect(calls.all.count == 3)
    await tracker.stopAndWait()
    await history.close()
  }

  @Test func `cases 45, 48: three trackers on one store, each with its position, all see all`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    var trackers: [HistoryTracker] = []
    let seen = Notes<String>()
    for author in ["one", "two", "three"] {
      let tracker = try await tracker(history, as: author)
      tracker.registerObserver(entityName: "Person", operation: .insert) { contexts in
        for context in contexts { seen.add("\(author) \(context.seq)") }
      }
      trackers.append(tracker)
    }
    for number in 0..<50 { try await history.insert("\(number)", as: "ext") }
    for author in ["one", "two", "three"] {
      try await eventually { try await history.cursor(of: author).seq == 50 }
    }
    for author in ["one", "two", "three"] {
      #expect(seen.all.filter { $0.hasPrefix(author + " ") } == (1...50).map { "\(author) \($0)" })
    }
    for tracker in trackers { await tracker.stopAndWait() }
    await history.close()
  }

  @Test func `cases 46, 49, 52, 56: reading and three cleaners at once leave the rows as they are`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let tracker = try await tracker(history)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for number in 0..<200 { try await history.insert("\(number)", as: "ext") } }
      for _ in 0..<3 {
        group.addTask { for _ in 0..<50 { try await tracker.cleaner().clean() } }
      }
      try await group.waitForAll()
    }
    try await eventually { try await history.cursor(of: "app").seq == 200 }
    #expect(try await history.number("SELECT count(*) FROM person") == 200)
    #expect(try await history.number("SELECT count(*) FROM projection") == 200)
    try await tracker.cleaner().clean()
    #expect(try await history.number("SELECT count(*) FROM history_change") == 0)
    await tracker.stopAndWait()
    await history.close()
  }

  @Test func `case 47: a hundred writers at once are a hundred groups, each once`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let tracker = try await tracker(history)
    let seen = Notes<Int64>()
    tracker.registerObserver(entityName: "Person", operation: .insert) { seen.add($0[0].seq) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 { group.addTask { try await history.insert("\(number)", as: "writer \(number % 7)") } }
      try await group.waitForAll()
    }
    try await eventually { try await history.cursor(of: "app").seq == 100 }
    #expect(seen.all == Array(1...100))
    await tracker.stopAndWait()
    await history.close()
  }

  @Test(arguments: HistoryLogLevel.allCases)
  func `G21: each level says what it promises and no more`(level: HistoryLogLevel) async throws {
    struct Refusal: Error {}
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let lines = Lines()
    let tracker = try await tracker(history, logger: lines, level: level)
    tracker.registerObserver(entityName: "Person", operation: .insert) { _ in }
    try tracker.registerMergeHook { input in
      if input.attempt == 0 { throw Refusal() }
      return .goOn
    }
    try await history.insert("a", as: "ext")
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    if level == .detailed { try await eventually { lines.notes.all.contains { $0.contains("merged") } } }
    await tracker.stopAndWait()
    let said = lines.notes.all
    #expect(said.contains { $0.hasPrefix("info app: started") } == (level >= .important))
    #expect(said.contains { $0.hasPrefix("error app: the batch 1–1 failed") } == (level >= .important))
    #expect(said.contains { $0.hasPrefix("info app: stopped") } == (level >= .important))
    #expect(said.contains { $0.contains("merged 1 transactions") } == (level >= .detailed))
    #expect(said.contains { $0.contains("observes insert of Person") } == (level >= .detailed))
    await history.close()
  }

  @Test func `failures are a stream of typed events that nobody needs to read`() async throws {
    struct Refusal: Error {}
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    let tracker = try await tracker(history, autoStart: false)
    let events = tracker.events()
    try tracker.registerMergeHook(name: "refuser") { _ in throw Refusal() }
    try await history.insert("a", as: "ext")
    tracker.start()
    var attempts: [Int] = []
    for await event in events {
      if case .failed(let failure) = event {
        #expect((failure.cause as? HookFailure)?.hook == "refuser" && failure.seqs == [1])
        attempts.append(failure.attempt)
      }
      if case .deadLettered(let seq, let tries, _) = event {
        #expect(seq == 1 && tries == 3)
        break
      }
    }
    #expect(attempts == [1, 2])
    await tracker.stopAndWait()
    await history.close()
  }

  @Test func `a full disk is nobody's fault: nothing becomes a dead letter, and it goes on when there is room`()
    async throws
  {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    try await history.register("app")
    for number in 0..<5 { try await history.insert("\(number)", as: "ext") }
    // A page limit stands in for the disk.
    let pages = try await history.number("PRAGMA page_count")
    let full = Mutex(true)
    let target = MergeTarget.rows("heavy") { connection, transactions in
      try connection.execute("PRAGMA max_page_count = \(full.withLock { $0 } ? pages + 20 : 1 << 30)")
      try connection.execute("INSERT OR IGNORE INTO item SELECT 'x', 1, hex(zeroblob(200000))")
      try PassHarness.project(connection, transactions)
    }
    let tracker = try await HistoryTracker(history, currentAuthor: "app", targets: [target], logLevel: .none)
    let failed = Notes<String>()
    let listening = Task { [events = tracker.events()] in
      for await event in events { if case .failed(let failure) = event { failed.add("\(failure.cause)") } }
    }
    try await eventually { failed.all.count >= 4 }
    #expect(failed.all.allSatisfy { $0.hasPrefix("store.disk-full") })
    let (letters, cursor) = (try await history.deadLetters(), try await history.cursor(of: "app").seq)
    #expect(letters.isEmpty && cursor == 0)
    full.withLock { $0 = false }
    // The target writes a tracked row of its own, which the position may have passed as well.
    try await eventually { try await history.cursor(of: "app").seq >= 5 }
    listening.cancel()
    await tracker.stopAndWait()
    await history.close()
  }

  @Test func `stops while a batch is put off, or while the disk is full, are no deaths of the process`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    try await history.register("app")
    try await history.insert("a", as: "ext")
    for isFull in [false, true] {
      let tracker = try await tracker(history, autoStart: false)
      let asked = Notes<Bool>()
      try tracker.registerMergeHook { _ in
        asked.add(true)
        if isFull { throw HistoryError(StoreError(.diskFull, "full")) }
        return .defer(for: .seconds(3_600))
      }
      for round in 1...6 {
        tracker.start()
        try await eventually { asked.all.count >= round }
        await tracker.stopAndWait()
      }
    }
    #expect(try await history.deadLetters().isEmpty)
    let (late, cursor) = (try await tracker(history), try await history.cursor(of: "app").seq)
    #expect(cursor == 0)
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    await late.stopAndWait()
    await history.close()
  }

  @Test func `many runs of one author at once are no deaths either`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    try await history.register("app")
    try await history.insert("a", as: "ext")
    let asked = Notes<Bool>()
    var trackers: [HistoryTracker] = []
    for _ in 0..<8 {
      let tracker = try await tracker(history, autoStart: false)
      try tracker.registerMergeHook { _ in
        asked.add(true)
        while asked.all.count < 8 { try await Task.sleep(for: .milliseconds(1)) }
        return .goOn
      }
      tracker.start()
      trackers.append(tracker)
    }
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    #expect(try await history.deadLetters().isEmpty)
    #expect(try await history.number("SELECT count(*) FROM projection") == 1)
    for tracker in trackers { await tracker.stopAndWait() }
    await history.close()
  }

  @Test func `hooks that are registered in time see the backlog, and one that has ended may be started again`()
    async throws
  {
    struct Refusal: Error {}
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    try await history.register("app")
    for name in ["a", "b"] { try await history.insert(name, as: "ext") }
    let seen = Notes<Int>()
    let tracker = try await HistoryTracker(history, currentAuthor: "app", logLevel: .none) { tracker in
      try tracker.registerMergeHook { input in
        seen.add(input.transactions.count)
        return .goOn
      }
    }
    try await eventually { try await history.cursor(of: "app").seq == 2 }
    #expect(seen.all == [2])
    let events = tracker.events()
    try await history.declareRestored()
    try await history.insert("c", as: "ext")
    for await event in events { if case .ended = event { break } }
    // The cursor is of this file all the same: a new run reads it anew.
    tracker.start()
    try await eventually {
      tracker.start()
      return try await history.cursor(of: "app").seq == 3
    }
    await tracker.stopAndWait()
    await history.close()
  }
}
