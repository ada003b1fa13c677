import ChatFixtures
import Foundation
import Testing
import Weir
import WeirStore
import WeirTesting

@testable import WeirChat

/// Observed queries over a real store: the observation rows of the storage spec, section F.
@Suite("Observed queries over SQLite") struct ObservedStoreTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func store(_ name: String = "store.db") async throws -> SQLiteMessageStore {
    try await openStore(directory.file(name))
  }

  /// A text of one of a few groups.
  private func line(_ number: Int64, group: String = "3027148891") -> CallbackLine {
    var line = CallbackLine.group("text \(number)", id: "m\(number)", seq: number)
    line.groupID = group
    return line
  }

  /// Applies facts and publishes what the commit changed, as a graph does.
  @discardableResult
  private func write(
    _ lines: [CallbackLine], to store: SQLiteMessageStore, _ hub: EventHub
  ) async throws -> CommitResult {
    let result = try await store.apply(facts(lines.map(\.bytes)))
    var emitter = InvalidationEmitter()
    emitter.process(result) { hub.publish($0) }
    return result
  }

  @Test("storage F4: a page whose first answer was empty hears of the first row, and of what only later answers name")
  func emptyFirst() async throws {
    let store = try await store()
    let hub = EventHub()
    // The page depends on the messages of whatever conversations it lists.
    let refine: @Sendable ([String]) -> Interest = { Interest(Set($0.map { .messages(in: $0) } + [.conversations])) }
    let query = ObservedQuery<[String], StoreError>(
      hub, interest: Interest([.mediaTask("none")]), refine: refine, atMostEvery: .zero
    ) { () async throws(StoreError) in
      let page = try await store.conversations()
      return Snapshot(page.value.map(\.conversationID), at: page.revision)
    }
    var pages = query.makeAsyncIterator()
    #expect(try await pages.next()?.value == [])
    try await write([line(1)], to: store, hub)
    #expect(try await pages.next()?.value == ["sg_3027148891"])
    try await write([line(2, group: "7")], to: store, hub)
    #expect(try await pages.next()?.value.count == 2)
    try await store.close()
  }

  @Test("storage F6 and F32: every way to write notifies, whatever table holds it")
  func everyWrite() async throws {
    let store = try await store()
    let hub = EventHub()
    var pages = store.observedMessages(in: "sg_3027148891", through: hub, atMostEvery: .zero).makeAsyncIterator()
    #expect(try await pages.next()?.value.count == 0)
    var first = line(1)
    try await write([first], to: store, hub)
    #expect(try await pages.next()?.value.map(\.marks.rawValue) == [0])
    // A read copy moves the row.
    first.isRead = true
    try await write([first], to: store, hub)
    #expect(try await pages.next()?.value.first?.marks.contains(.read) == true)
    // A recall lives in a table without row ids.
    try await write([first.recallNotice(by: first.sendID, at: 9)], to: store, hub)
    #expect(try await pages.next()?.value.first?.marks.contains(.recalled) == true)
    try await store.close()
  }

  @Test("storage F8: the first answer does not wait for a long write")
  func longWrite() async throws {
    let store = try await store()
    let hub = EventHub()
    try await write([line(1)], to: store, hub)
    // Another connection holds the write lock until the first answer has come.
    let blocker = try Connection(path: directory.file("store.db"), options: ConnectionOptions(access: .readWrite))
    try blocker.execute("BEGIN IMMEDIATE")
    var pages = store.observedConversations(through: hub).makeAsyncIterator()
    #expect(try await pages.next()?.value.count == 1)
    try blocker.execute("ROLLBACK")
    blocker.close()
    try await store.close()
  }

  @Test("storage F10: an observation starts on a log that was emptied just before")
  func emptyLog() async throws {
    var store = try await store()
    let hub = EventHub()
    try await write([line(1)], to: store, hub)
    // Closing empties the log; the file that remains has none.
    try await store.close()
    store = try await self.store()
    var pages = store.observedMessages(in: "sg_3027148891", through: hub, atMostEvery: .zero).makeAsyncIterator()
    #expect(try await pages.next()?.value.count == 1)
    try await write([line(2)], to: store, hub)
    #expect(try await pages.next()?.value.count == 2)
    try await store.close()
  }

  @Test("storage F16: what is ignored emits nothing, and a page is not given out twice")
  func ignored() async throws {
    let store = try await store()
    let hub = EventHub()
    try await write([line(1)], to: store, hub)
    let before = hub.counters.published
    try await write([line(1)], to: store, hub)
    #expect(hub.counters.published == before)
    var pages = store.observedTotals(through: hub, atMostEvery: .zero).makeAsyncIterator()
    let first = try await pages.next()?.value
    hub.invalidateEverything()
    try await write([line(2)], to: store, hub)
    let second = try await pages.next()?.value
    #expect(first?.messages == 1 && second?.messages == 2, "the same totals came again")
    try await store.close()
  }

  @Test("storage F24: writing while the first answer is handled completes, and the page shows it")
  func writeInside() async throws {
    let store = try await store()
    let hub = EventHub()
    var counts: [Int] = []
    for try await page in store.observedMessages(in: "sg_3027148891", through: hub, atMostEvery: .zero) {
      counts.append(page.value.count)
      if page.value.count == 3 { break }
      try await write([line(Int64(page.value.count + 1))], to: store, hub)
    }
    #expect(counts == [0, 1, 2, 3])
    #expect(hub.subscribers == 0, "the page is gone and its subscription stays")
    try await store.close()
  }

  @Test("storage F28: two who write whenever they hear of a write settle once nothing is new")
  func pingPong() async throws {
    let store = try await store()
    let hub = EventHub()
    let (first, second) = (line(1), line(2))
    let heard = Shared(0)
    let readers = [first, second].map { answer -> @Sendable () async throws -> Void in
      {
        for try await _ in store.observedTotals(through: hub, atMostEvery: .zero) {
          heard.change { $0 += 1 }
          try await write([answer], to: store, hub)
        }
      }
    }
    try await withReaders(readers) {
      while try await store.totals().value.messages < 2 { await Task.yield() }
      // Both write again at most once for each of the few answers there are; then all is quiet.
      var seen = -1
      while seen != heard.value {
        seen = heard.value
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    #expect(heard.value <= 6)
    #expect(hub.counters.published <= 4)
    try await store.close()
  }

  @Test("storage F30: the only reader hears of a write, also the first one after there was none")
  func onlyReader() async throws {
    let store = try await store()
    let hub = EventHub()
    for round in 1...3 as ClosedRange<Int64> {
      var pages = store.observedConversations(through: hub, atMostEvery: .zero).makeAsyncIterator()
      #expect(hub.subscribers == 1)
      let before = try await pages.next()?.value.first?.unread ?? 0
      try await write([line(round)], to: store, hub)
      #expect(try await pages.next()?.value.first?.unread == before + 1)
    }
    #expect(hub.subscribers == 0)
    try await store.close()
  }

  @Test("storage F38: hints and pages name a conversation by the same bytes")
  func oneName() async throws {
    let store = try await store()
    let hub = EventHub()
    let names = ["caf\u{E9}", "cafe\u{301}"]
    var pages = store.observedMessages(in: "sg_\(names[1])", through: hub, atMostEvery: .zero).makeAsyncIterator()
    #expect(try await pages.next()?.value.count == 0)
    try await write([line(1, group: names[0])], to: store, hub)
    try await write([line(2, group: names[1])], to: store, hub)
    #expect(try await pages.next()?.value.map(\.key.clientMsgID) == ["m2"])
    try await store.close()
  }

  @Test("tdlib/td 2165: a page that scrolled away is no deletion: rows stay, and no hint comes")
  func eviction() async throws {
    let store = try await store()
    let hub = EventHub()
    try await write((1...6).map { line($0) }, to: store, hub)
    var reader: EventSubscription? = hub.subscribe()
    var pages: ObservedQuery<[StoredMessage], StoreError>.Iterator? =
      store.observedMessages(in: "sg_3027148891", through: hub).makeAsyncIterator()
    #expect(try await pages?.next()?.value.count == 6)
    pages = nil
    #expect(reader?.takePending().isEmpty == true && hub.subscribers == 1)
    reader = nil
    #expect(try await store.messages(in: "sg_3027148891").value.count == 6)
    try await store.close()
  }

  @Test("TencentCloud/TIMSDK 219: after a recall the list shows it with the revision of the recall")
  func recallInList() async throws {
    let store = try await store()
    let hub = EventHub()
    let message = line(1)
    try await write([message], to: store, hub)
    var pages = store.observedConversations(through: hub, atMostEvery: .zero).makeAsyncIterator()
    #expect(try await pages.next()?.value.first?.unread == 1)
    let recall = try await write([message.recallNotice(by: message.sendID, at: 9)], to: store, hub)
    let page = try await pages.next()
    #expect(page?.value.first?.unread == 0 && page?.value.first?.last?.preview == "[Recalled]")
    #expect(page?.revision == recall.revision)
    try await store.close()
  }

  @Test("an error of the query does not end the observation: the next call asks again")
  func errors() async throws {
    let hub = EventHub()
    let turn = Shared(0)
    let query = ObservedQuery<Int, StoreError>(hub, interest: .everything, atMostEvery: .zero) {
      () async throws(StoreError) in
      turn.change { $0 += 1 }
      if turn.value == 1 { throw StoreError(.busy, "locked") }
      return Snapshot(turn.value, at: Int64(turn.value))
    }
    var pages = query.makeAsyncIterator()
    await #expect(throws: StoreError.self) { _ = try await pages.next() }
    #expect(try await pages.next()?.value == 2)
  }

  @Test("queries are as far apart as is asked, and the last hint is not lost to the pause")
  func rate() throws {
    try forEachSeed(count: 20) { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      let clock = GraphClock(simulation.clock)
      try await withReaders([{ try await page.follow(store.observed("a", clock: clock, every: .seconds(1))) }]) {
        for _ in 0..<100 {
          store.write("a")
          try await simulation.clock.sleep(for: .milliseconds(95))
        }
        try simulation.require((10...11).contains(store.queries), "\(store.queries)")
        try await simulation.clock.sleep(for: .seconds(2))
        try simulation.require(page.last == 100)
      }
    }
  }
}
