import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirChat

/// Invariants 1 to 12 and 22 of the receiving spec §3: hints, and pages that live on them.
@Suite("Invariants of hints") struct InvariantTests {
  @Test("Invariant 1: a missing revision makes the page query once, and then work goes on as usual")
  func gap() throws {
    try forEachSeed(count: 20) { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      try await withReaders([{ try await page.follow(store.observed("a")) }]) {
        await simulation.settle()
        func expect(_ queries: Int, _ what: String) async throws {
          await simulation.settle()
          try simulation.require(store.queries == queries, "\(what): \(store.queries) queries")
          try simulation.require(page.last == store.value("a"), what)
        }
        try await expect(1, "at first")
        store.write("a")
        try await expect(2, "a hint that touches")
        // The hint of this commit is lost; the next one, of another conversation, shows it.
        store.commit("a")
        store.write("b")
        try await expect(3, "a hint two further")
        store.write("b")
        try await expect(3, "a hint of another conversation")
        store.write("a")
        try await expect(4, "usual work again")
        store.hub.publish(upserted(store.revision, in: "a"))
        store.hub.publish(upserted(store.revision - 2, in: "a"))
        try await expect(4, "revisions that were seen")
        try simulation.require(store.hub.counters.gaps == 1)
      }
    }
  }

  @Test("Invariant 1: a hint about something unknown keeps its place among the revisions")
  func unknownInOrder() {
    let hub = EventHub()
    hub.publish(upserted(1, in: "a"))
    hub.publish(ChatEvent(ProjectionChange(kind: Native(99), projectionRevision: 2)))
    hub.publish(upserted(3, in: "a"))
    #expect(hub.counters.gaps == 0)
    hub.publish(ChatEvent(ProjectionChange(kind: Native(99), projectionRevision: 5)))
    #expect(hub.counters.gaps == 1 && hub.counters.published == 4)
    // The revision of a schema that is not known is not read.
    hub.publish(ChatEvent(ProjectionChange(schemaVersion: 2, kind: Native(8), projectionRevision: 900)))
    hub.publish(upserted(6, in: "a"))
    #expect(hub.counters.gaps == 1)
  }

  @Test("Invariant 2: the first event sets the baseline and shows no gap")
  func baseline() throws {
    try simulate { simulation in
      let store = ToyStore(EventHub())
      store.skip(40)
      try await withReaders([{ try await Page<Int>().follow(store.observed("a")) }]) {
        await simulation.settle()
        store.write("b")
        await simulation.settle()
        try simulation.require(store.queries == 1 && store.hub.counters.gaps == 0)
      }
      var cursor = RevisionCursor()
      try simulation.require(
        [41, 42, 42, 12, 45, 46].map { cursor.admit($0) } == [
          .baseline, .next, .known, .known, .gap, .next,
        ])
    }
  }

  @Test("Invariant 3: an event of another login causes no query, no state and no movement of revisions")
  func epochs() throws {
    try simulate { simulation in
      let store = ToyStore(EventHub(accountEpoch: 5))
      let hub = store.hub
      let page = Page<Int>()
      let all = hub.subscribe()
      try await withReaders([{ try await page.follow(store.observed("a")) }]) {
        await simulation.settle()
        hub.publish(upserted(1, in: "a", epoch: 5))
        try simulation.require(hub.publish(upserted(7, in: "a", epoch: 4)) == .fenced)
        try simulation.require(hub.publish(upserted(9, in: "a", epoch: 6)) == .fenced)
        try simulation.require(
          hub.publish(.projectionInvalidated(.everything(accountEpoch: 4))) == .fenced)
        try simulation.require(hub.publish(.stateChanged(.known(.fatal)), accountEpoch: 4) == .fenced)
        try simulation.require(hub.publish(upserted(2, in: "b", epoch: 5)) == .published(2))
        await simulation.settle()
        try simulation.require(store.queries == 2 && hub.counters.gaps == 0 && hub.counters.fenced == 4)
        try simulation.require(all.takePending().count == 2)
      }
    }
  }

  @Test(
    "Invariant 3: what waits of an old login is void, and an answer that was asked for before the switch is not shown")
  func epochSwitch() throws {
    try forEachSeed(count: 60) { simulation in
      let hub = EventHub(accountEpoch: 1)
      let slow = hub.subscribe()
      let accounts = Mutex(1)
      let shown = Page<Int>()
      let query = ObservedQuery<Int, Never>(hub, interest: .everything, atMostEvery: .zero) {
        // The answer is of the login at its beginning.
        let account = accounts.withLock { $0 }
        for _ in 0..<3 { await Task.yield() }
        return Snapshot(account, at: 100 - Int64(account))
      }
      var random = simulation.generator("steps")
      try await withReaders([{ try await shown.follow(query) }]) {
        for _ in 0..<random.index(below: 8) { await Task.yield() }
        hub.publish(upserted(1, in: "a", epoch: 1))
        accounts.withLock { $0 = 2 }
        hub.beginEpoch(2)
        let before = shown.all.count
        await simulation.settle()
        let late = shown.all.dropFirst(before).map(\.value)
        try simulation.require(late.allSatisfy { $0 == 2 } && shown.last == 2, "\(shown.all.map(\.value))")
        let waiting = slow.takePending()
        try simulation.require(waiting.count == 1 && waiting[0].accountEpoch == 2)
        try simulation.require(waiting[0].event.requiresFullRequery)
      }
    }
  }

  @Test("Invariant 4: an older connection makes no hint void; it only orders states")
  func generations() {
    let hub = EventHub()
    let reader = hub.subscribe()
    hub.publish(.stateChanged(.known(.ready)), connectionGeneration: 7)
    var change = ProjectionChange(kind: .known(.messageUpserted), projectionRevision: 1, conversationID: "a")
    change.connectionGeneration = 3
    #expect(hub.publish(ChatEvent(change)) == .published(2))
    #expect(hub.publish(.stateChanged(.known(.connecting)), connectionGeneration: 6) == .stale)
    #expect(reader.takePending().map(\.event) == [.stateChanged(.known(.ready)), .messageUpserted(change)])
  }

  @Test(
    "Invariant 5: an unknown schema or kind, or a payload that cannot be mapped, asks for everything with its numbers kept"
  )
  func unknown() {
    let future = ProjectionChange(schemaVersion: 9, kind: .known(.messageUpserted), conversationID: "a")
    let kind = ProjectionChange(kind: Native(77), conversationID: "a")
    let nowhere = ProjectionChange(kind: .known(.messageUpserted))
    for change in [future, kind, nowhere] {
      let event = ChatEvent(change)
      #expect(event == .projectionInvalidated(change))
      #expect(event.requiresFullRequery && Interest([.mediaTask("t")]).touches(event))
      #expect(event.change?.kind.number == change.kind.number)
      #expect(event.change?.schemaVersion == change.schemaVersion)
    }
    #expect(Native<ProjectionOrigin>(12) == .unknown(12) && Native<ProjectionOrigin>(12).number == 12)
    #expect(Native<PresenceStatus>(-1).number == -1 && Native<MessageStateHint>(4) == .known(.read))
    // An unknown origin, list or state keeps its number and makes nothing unmappable.
    let social = ProjectionChange(
      kind: .known(.socialChanged), origin: Native(9), socialScope: Native(44), messageState: Native(55))
    #expect(ChatEvent(social) == .socialChanged(social) && social.socialScope?.number == 44)
    #expect(Interest([.social(.blocks)]).touches(.socialChanged(social)))
  }

  @Test("Invariant 6: of a payload that asks for everything nothing else is read")
  func fullRequery() throws {
    try simulate { simulation in
      let store = ToyStore(EventHub())
      try await withReaders([{ try await Page<Int>().follow(store.observed("a")) }]) {
        await simulation.settle()
        store.write("a")
        await simulation.settle()
        // Another conversation, a revision that was seen and one from far ahead: all of that is not read.
        for revision in [1, 900] as [Int64] {
          let queries = store.queries
          let change = ProjectionChange(
            schemaVersion: 3, kind: .known(.messageStateChanged), projectionRevision: revision, conversationID: "b",
            requiresFullRequery: true)
          store.hub.publish(ChatEvent(change))
          await simulation.settle()
          try simulation.require(store.queries == queries + 1, "revision \(revision)")
        }
        store.write("b")
        await simulation.settle()
        try simulation.require(store.queries == 4 && store.hub.counters.gaps == 0)
      }
    }
  }

  @Test("Invariant 7: the page is what the query says, whatever the hint says")
  func values() throws {
    try simulate { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      try await withReaders([{ try await page.follow(store.observed("a")) }]) {
        await simulation.settle()
        let revision = store.commit("a")
        store.hub.publish(
          ChatEvent(
            ProjectionChange(
              kind: .known(.messageStateChanged), messageState: .known(.failed), projectionRevision: revision,
              affectedCount: 99, conversationID: "a", clientMessageID: "m")))
        await simulation.settle()
        try simulation.require(page.last == 1)
      }
    }
  }

  @Test("Invariant 8: what is committed between subscription and first answer is seen, in every interleaving")
  func subscribeBeforeQuery() throws {
    try forEachSeed(count: 300) { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      var random = simulation.generator("steps")
      let (delay, wait) = (random.index(below: 6), random.index(below: 10))
      try await withReaders([{ try await page.follow(store.observed("a", delay: delay)) }]) {
        for _ in 0..<wait { await Task.yield() }
        store.write("a")
        await simulation.settle()
        try simulation.require(page.last == 1, "the page shows \(page.last ?? -1)")
      }
    }
  }

  @Test("Invariant 8: a subscription is complete when the call returns")
  func completeSubscription() {
    let hub = EventHub()
    let reader = hub.subscribe()
    hub.publish(upserted(1, in: "a"))
    #expect(reader.depth == 1)
    let iterator = ObservedQuery<Int, Never>(hub, interest: .everything) { Snapshot(0, at: 0) }.makeAsyncIterator()
    #expect(hub.subscribers == 2)
    _ = iterator
  }

  @Test("Invariant 9: a queue stays within its bound under any burst, the newest survives, and the reader learns of it")
  func bounded() throws {
    try forEachSeed(count: 30) { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      let stuck = store.hub.subscribe(limit: 16)
      var script = EventScript(simulation.seed, conversations: 60, messages: 60)
      try await withReaders([{ try await page.follow(store.observed("c1")) }]) {
        await simulation.settle()
        var last: ChatEvent?
        for _ in 0..<500 {
          store.skip(1)
          if script.random.once(in: 20) { store.commit("c1") }
          script.revision = store.revision - 1
          last = script.next()
          if let last { store.hub.publish(last) }
          try simulation.require(stuck.depth <= 16)
        }
        let counters = stuck.counters
        let waiting = stuck.takePending()
        let tells = waiting.contains { $0.isWidened || $0.event.requiresFullRequery }
        try simulation.require(tells, "nothing says that there was no room")
        try simulation.require(counters.overflows > 0 || waiting.contains { $0.event.requiresFullRequery })
        try simulation.require(waiting.last?.number == store.hub.counters.published)
        store.write("c1")
        await simulation.settle()
        try simulation.require(page.last == store.value("c1"))
      }
    }
  }

  @Test("Invariant 10: delivery follows admission; a merged hint stands at the later place and for all of its scopes")
  func order() {
    let hub = EventHub()
    let reader = hub.subscribe()
    hub.publish(upserted(1, in: "a", "m1"))
    hub.publish(listChanged(2, in: "a"))
    hub.publish(upserted(3, in: "b", "m2"))
    hub.publish(upserted(4, in: "a", "m3"))
    let all = reader.takePending()
    #expect(all.map(\.number) == [2, 3, 4])
    #expect(all.map(\.event.kind) == [.conversationChanged, .messageUpserted, .messageUpserted])
    #expect(all[2].covers == 2 && all[2].event.change?.revisions == 1...4)
    let merged = all[2].event
    #expect(["m1", "m3", "m9"].allSatisfy { Interest([.message($0, in: "a")]).touches(merged) })
    #expect(!Interest([.message("m1", in: "b")]).touches(merged))
  }

  @Test("Invariant 11: when every hint was dropped, the next query is right; the next hint of all shows the loss")
  func dropped() throws {
    try simulate { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      try await withReaders([{ try await page.follow(store.observed("a")) }]) {
        store.write("b")
        await simulation.settle()
        for _ in 0..<50 { store.commit("a") }
        try simulation.require(await store.query("a").value == 50)
        await simulation.settle()
        try simulation.require(page.last == 0)
        store.write("b")
        await simulation.settle()
        try simulation.require(page.last == 50)
      }
    }
  }

  @Test("Invariant 22: an older answer never follows a newer one, and there is one query at a time")
  func newestWins() throws {
    try forEachSeed(count: 300) { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      var random = simulation.generator("delays")
      let delays = (0..<64).map { _ in random.index(below: 7) }
      let turn = Mutex(0)
      let query = ObservedQuery<Int, Never>(store.hub, interest: Interest([.messages(in: "a")]), atMostEvery: .zero) {
        await store.query(
          "a",
          delay: delays[
            turn.withLock {
              $0 += 1
              return $0
            } % 64])
      }
      try await withReaders([{ try await page.follow(query) }]) {
        for _ in 0..<20 {
          store.write(random.index(below: 3) == 0 ? "b" : "a")
          for _ in 0..<random.index(below: 5) { await Task.yield() }
        }
        await simulation.settle()
        try simulation.require(page.last == store.value("a"))
        let revisions = page.all.map(\.revision)
        try simulation.require(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 }, "\(revisions)")
        try simulation.require(store.mostRunning == 1 && store.queries <= 22)
      }
    }
  }

  @Test("Invariant 22: a reader that lags behind the hints is asked again until it has caught up")
  func lagging() throws {
    try forEachSeed(count: 40) { simulation in
      let hub = EventHub()
      let page = Page<Int>()
      let answers = Mutex<[Int64]>([5, 3, 5, 4, 6])
      let query = ObservedQuery<Int, Never>(
        hub, interest: Interest([.conversations]), atMostEvery: .zero, clock: GraphClock(simulation.clock)
      ) {
        let revision = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        return Snapshot(Int(revision), at: revision)
      }
      try await withReaders([{ try await page.follow(query) }]) {
        await simulation.settle()
        hub.publish(listChanged(6))
        try await simulation.clock.sleep(for: .seconds(5))
        try simulation.require(page.all.map(\.revision) == [5, 6], "\(page.all.map(\.revision))")
        try simulation.require(answers.withLock { $0.count } == 1)
      }
    }
  }
}
