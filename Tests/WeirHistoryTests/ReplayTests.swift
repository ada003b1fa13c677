import Synchronization
import Testing
import Weir
import WeirHistory
import WeirStore

/// Dead letters that are asked for once more.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReplayTests {
  private struct Poison: Error {}

  /// Five transactions, of which a hook fails for the third until it is mended.
  private struct Stage {
    let fixture: HistoryFixture
    let history: History
    let tracker: HistoryTracker
    let isMended = Shared(false)
    let asked = Notes<[Int64]>()
    let events = Notes<HistoryEvent>()

    init() async throws {
      fixture = try HistoryFixture()
      history = try await fixture.open()
      try await history.register("app")
      for number in 1...5 { try await history.insert("p\(number)", as: "ext") }
      tracker = try await HistoryTracker(
        history, currentAuthor: "app", targets: [.rows("projection", PassHarness.project)], logLevel: .none,
        autoStart: false)
      try tracker.registerMergeHook { [asked, isMended] input in
        asked.add(input.transactions.map(\.seq))
        if !isMended.value, input.transactions.contains(where: { $0.seq == 3 }) { throw Poison() }
        return .goOn
      }
      Task { [stream = tracker.events(), events] in for await event in stream { events.add(event) } }
      tracker.start()
      try await eventually { [history] in try await history.cursor(of: "app").seq == 5 }
      #expect(try await history.deadLetters().map(\.seq) == [3])
    }

    func rows() async throws -> String? {
      try await history.text("SELECT group_concat(name, ' ') FROM (SELECT name FROM projection ORDER BY id)")
    }

    func end() async {
      await tracker.stopAndWait()
      await history.close()
      fixture.keep()
    }
  }

  @Test func `a replayed dead letter is merged once by the reader that waits, and is none any more`() async throws {
    let stage = try await Stage()
    let before = stage.asked.all.count
    stage.isMended.value = true
    let letters = try await stage.history.replayDeadLetter(3)
    #expect(letters.map(\.author) == ["app"] && letters.map(\.attempts) == [3])
    try await eventually { try await stage.history.deadLetters().isEmpty }
    #expect(try await stage.rows() == "p1 p2 p3 p4 p5")
    try await stage.history.insert("p6", as: "ext")
    try await eventually { try await stage.history.cursor(of: "app").seq == 6 }
    #expect(Array(stage.asked.all.dropFirst(before)) == [[3], [6]])
    try await eventually {
      stage.events.all.contains { if case .replayed(seq: 3) = $0 { true } else { false } }
    }
    await stage.end()
  }

  @Test func `a replay that fails stays a letter, stops nobody, and may be asked for again`() async throws {
    let stage = try await Stage()
    try await stage.history.replayDeadLetter(3, of: "app")
    try await stage.history.insert("p6", as: "ext")
    try await eventually { try await stage.history.deadLetters().map(\.attempts) == [6] }
    try await eventually { try await stage.history.cursor(of: "app").seq == 6 }
    stage.isMended.value = true
    try await stage.history.replayDeadLetter(3, of: "app")
    try await eventually { try await stage.history.deadLetters().isEmpty }
    #expect(try await stage.rows() == "p1 p2 p3 p4 p5 p6")
    await stage.end()
  }

  @Test func `a replay asked for while nobody reads comes with the next start`() async throws {
    let stage = try await Stage()
    await stage.tracker.stopAndWait()
    stage.isMended.value = true
    try await stage.history.replayDeadLetter(3)
    #expect(try await stage.history.deadLetters().map(\.seq) == [3])
    stage.tracker.start()
    try await eventually { try await stage.history.deadLetters().isEmpty }
    #expect(try await stage.rows() == "p1 p2 p3 p4 p5")
    await stage.end()
  }

  @Test func `what cannot be replayed is said so, each with its kind`() async throws {
    let stage = try await Stage()
    let history = stage.history
    func kind(_ seq: Int64, of author: String? = nil) async -> HistoryError.Kind? {
      do throws(HistoryError) {
        try await history.replayDeadLetter(seq, of: author)
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(await kind(2) == .unknownDeadLetter)
    #expect(await kind(3, of: "ext") == .unknownDeadLetter)
    await stage.tracker.stopAndWait()
    try await history.retire("app")
    #expect(await kind(3) == .retired)
    try await history.register("other")
    try await history.clean()
    #expect(await kind(3) == .purged)
    try await history.retire("other")
    try await history.stopRecording()
    #expect(await kind(3) == .notRecorded)
    await stage.end()
  }

  @Test func `a dead letter holds the cleaning back until it is replayed or discarded; a rejected one does not`()
    async throws
  {
    let stage = try await Stage()
    let forecast = try await stage.history.forecastCleaning()
    #expect(forecast.heldBack == .deadLetter(author: "app", seq: 3) && forecast.transactions == 2)
    #expect(try await stage.history.clean().purgedThrough == 2)
    stage.isMended.value = true
    try await stage.history.replayDeadLetter(3)
    try await eventually { try await stage.history.deadLetters().isEmpty }
    #expect(try await stage.history.clean().purgedThrough == 5)
    try stage.tracker.registerMergeHook { input in
      input.transactions.isEmpty ? .goOn : .reject(input.transactions[0].seq, "not wanted")
    }
    try await stage.history.insert("p6", as: "ext")
    try await eventually { try await stage.history.deadLetters().map(\.seq) == [6] }
    #expect(try await stage.history.clean().purgedThrough == 6)
    await stage.end()
  }
}

/// A value that tests and hooks share.
final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
