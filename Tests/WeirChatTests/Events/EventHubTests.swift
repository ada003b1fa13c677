import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirChat

/// Readers that come, go, and get stuck.
@Suite("Event hub") struct EventHubTests {
  @Test("Invariant 21: ending stops delivery at once and frees; ending twice is harmless; one token gives one delivery")
  func ending() {
    let hub = EventHub()
    let token = SubscriptionToken("page")
    var first: EventSubscription? = hub.subscribe(token: token)
    let second = hub.subscribe(token: token)
    #expect(hub.subscribers == 1)
    hub.publish(upserted(1, in: "a"))
    // Both names stand for one line: each event is delivered once.
    #expect((first?.takePending().count ?? 0) + second.takePending().count == 1)
    hub.publish(upserted(2, in: "a"))
    second.cancel()
    second.cancel()
    #expect(hub.subscribers == 0 && second.depth == 0 && first?.takePending().isEmpty == true)
    #expect(second.counters.voided == 1)
    // Ended is ended: the token names a new reader now.
    let third = hub.subscribe(token: token)
    hub.publish(upserted(3, in: "a"))
    #expect(third.takePending().count == 1 && second.takePending().isEmpty)
    // The hub keeps nobody alive.
    first = hub.subscribe(limit: 8)
    #expect(hub.subscribers == 2)
    first = nil
    #expect(hub.subscribers == 1)
  }

  @Test(
    "Invariant 21: a reader that waits is woken by its end, by the hub's and by cancellation, in every interleaving")
  func wakeUps() throws {
    try forEachSeed(count: 200) { simulation in
      let hub = EventHub()
      let reader = hub.subscribe()
      let count = Shared(0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in reader { count.change { $0 += 1 } } }
        var random = simulation.generator("steps")
        let published = random.index(below: 4)
        for _ in 0..<published {
          hub.publish(.messageQueued(OutboxReceipt(clientMsgID: "m\(random.index(below: 100))")))
          for _ in 0..<random.index(below: 3) { await Task.yield() }
        }
        switch simulation.seed % 3 {
        case 0: reader.cancel()
        case 1: hub.close()
        default: group.cancelAll()
        }
        try await group.waitForAll()
        if simulation.seed % 3 == 1 { try simulation.require(count.value > 0 || published == 0) }
        try simulation.require(count.value <= published)
      }
    }
  }

  @Test("a stuck reader holds up nobody, and every queue stays within its bound")
  func stuck() {
    let hints = soak(2_000, 100_000)
    let hub = EventHub()
    let readers = (0..<99).map { _ in hub.subscribe(limit: 64) }
    let stuck = hub.subscribe(limit: 64)
    var deepest = 0
    var taken = 0
    for number in 1...hints {
      hub.publish(upserted(Int64(number), in: "c\(number % 500)", "m\(number)"))
      deepest = max(deepest, stuck.depth)
      if number % 40 == 0 {
        for reader in readers { taken += reader.takePending().reduce(0) { $0 + $1.covers } }
      }
    }
    #expect(taken == hints * readers.count)
    #expect(deepest <= 64 && stuck.counters.published == UInt64(hints))
    let rest = stuck.takePending()
    #expect(rest.reduce(0) { $0 + $1.covers } == hints && rest.last?.number == UInt64(hints))
    #expect(readers.allSatisfy { $0.counters.overflows == 0 }, "a reader that keeps up is told everything")
  }

  @Test("publishers at once: numbers rise for every reader, and nothing is lost")
  func publishers() async {
    let hub = EventHub()
    let readers = (0..<3).map { _ in hub.subscribe(limit: 4_096) }
    await withTaskGroup(of: Void.self) { group in
      for publisher in 0..<4 {
        group.addTask {
          for number in 0..<250 {
            hub.publish(.messageQueued(OutboxReceipt(clientMsgID: "\(publisher)-\(number)")))
          }
        }
      }
    }
    for reader in readers {
      let numbers = reader.takePending().map(\.number)
      #expect(numbers == Array(1...1_000))
    }
  }

  @Test("a hint that is lost between the emitter and the hub makes every page query, also one without a revision")
  func lostOnTheWay() async throws {
    let hub = EventHub()
    let reader = hub.subscribe()
    let envelopes = [1, 2, 5, 6].map {
      EventEnvelope(number: $0, event: .messageQueued(OutboxReceipt(clientMsgID: "m\($0)")))
    }
    let blueprint = try Blueprint("events") { graph in graph.source("envelopes", envelopes).sink("subscribers", hub) }
    try await blueprint.run()
    let kinds = reader.takePending().map(\.event.kind)
    #expect(kinds == [.projectionInvalidated], "the request for everything covers what came before and after it")
    #expect(hub.counters.published == 5)
    // A second run begins with numbers of its own.
    try await blueprint.run()
    #expect(hub.counters.published == 10)
  }

  @Test("matrix-org/matrix-rust-sdk 3311: a reader that overflows reloads once and shows what the store holds")
  func slowReader() throws {
    try forEachSeed(count: 40) { simulation in
      let store = ToyStore(EventHub())
      let page = Page<Int>()
      let gate = Shared(false)
      let query = ObservedQuery<Int, Never>(
        store.hub, interest: .everything, areEqual: nil, atMostEvery: .zero, limit: 32
      ) { await store.query("c7") }
      try await withReaders([
        {
          for try await answer in query {
            page.show(answer)
            // Blocked while the hints come.
            while !gate.value { await Task.yield() }
          }
        }
      ]) {
        while page.all.isEmpty { await Task.yield() }
        for number in 0..<100 { store.write("c\(number)") }
        gate.change { $0 = true }
        await simulation.settle()
        try simulation.require(page.last == 1 && store.value("c7") == 1)
        try simulation.require(store.queries == 2, "\(store.queries) queries for one reload")
      }
    }
  }

  @Test("element-hq/element-ios 4796: typing touches no count")
  func typingAndUnread() {
    let typing = ChatEvent.typingChanged(
      TypingUpdate(conversationID: "c", userID: "u", isTyping: true, sequence: 1, expiresAtMilliseconds: .max))
    let everything = Interest(Set(EventScript(1).topics))
    #expect(!everything.touches(typing) && !Interest.everything.touches(typing))
    #expect(!everything.touches(.stateChanged(.known(.ready))))
  }

  @Test("every kind reaches what the catalogue says, and what it does not tell it reaches everywhere")
  func catalogue() {
    func reached(_ event: ChatEvent) -> Set<Topic> {
      let topics: [Topic] = [
        .message("m", in: "c"), .message("m"), .message("n", in: "c"), .messages(in: "c"), .messages(in: "d"),
        .conversations, .totals, .peerReads(in: "c"), .peerReads(in: "d"), .social(.groups), .social(.blocks),
        .social(.groupMembers, of: "g"), .social(.groupMembers, of: "h"), .mediaTask("t"), .mediaTask("s"),
      ]
      return Set(topics.filter { Interest([$0]).touches(event) })
    }
    let all = reached(.projectionInvalidated(.everything()))
    #expect(all.count == 15)
    let receipt = OutboxReceipt(clientMsgID: "m", conversationID: "c")
    for event in [ChatEvent.messageQueued(receipt), .messageRetryQueued(receipt), .messageCancelled(receipt)] {
      #expect(reached(event) == [.message("m", in: "c"), .message("m"), .messages(in: "c")])
    }
    #expect(reached(.messageQueued(OutboxReceipt())).isSuperset(of: [.message("n", in: "c"), .messages(in: "d")]))
    #expect(reached(.conversationReadChanged(conversationID: "c")) == [.conversations, .totals, .peerReads(in: "c")])
    #expect(reached(.conversationReadChanged(conversationID: nil)).contains(.peerReads(in: "d")))
    #expect(
      reached(.messageMutated(clientMsgID: "m", conversationID: "c"))
        == [.message("m", in: "c"), .message("m"), .messages(in: "c"), .conversations, .totals])
    #expect(reached(.messageMutated(clientMsgID: "m")).contains(.messages(in: "d")))
    #expect(reached(.mediaTaskUpdated(MediaTaskUpdate(taskID: "t", state: .known(.done)))) == [.mediaTask("t")])
    #expect(
      reached(upserted(1, in: "c"))
        == [
          .message("m", in: "c"), .message("m"), .message("n", in: "c"), .messages(in: "c"), .conversations, .totals,
        ])
    #expect(!reached(upserted(1, in: "c", "m")).contains(.message("n", in: "c")))
    #expect(reached(listChanged(1, in: "d")) == [.conversations, .totals])
    var social = ProjectionChange(kind: .known(.socialChanged), socialScope: .known(.groupMembers), scopeID: "g")
    #expect(reached(ChatEvent(social)) == [.social(.groupMembers, of: "g")])
    for scope in [nil, Native<SocialFact.Scope>(30)] {
      social.socialScope = scope
      let lists: Set<Topic> = [
        .social(.groups), .social(.blocks), .social(.groupMembers, of: "g"), .social(.groupMembers, of: "h"),
      ]
      #expect(reached(ChatEvent(social)) == lists)
    }
    #expect(reached(ChatEvent(ProjectionChange(kind: .known(.syncApplied)))) == all)
  }

  @Test("every kind has a class, and kinds 16 and 17 do not travel through a hub")
  func kinds() {
    #expect(EventKind.allCases.map(\.rawValue) == Array(1...17))
    #expect(EventKind.requestCompletion.reliability == .exactlyOnce)
    #expect(EventKind.credentialRequest.reliability == .singleFlight)
    #expect(EventKind.allCases.filter(\.isHint).map(\.rawValue) == Array(2...12) + [15])
    #expect(EventKind.allCases.filter(\.isCoveredBySync).map(\.rawValue) == Array(8...12))
  }
}
