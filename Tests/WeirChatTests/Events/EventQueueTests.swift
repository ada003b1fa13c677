import ChatFixtures
import Testing

@testable import WeirChat

/// The queue as a value, against what it promises: rising numbers, a bound, and a wider hint for every one that is gone.
@Suite("Queue of events") struct EventQueueTests {
  /// Pushes random events and takes some now and then; `check` sees all that went in and all that came out.
  private func run(
    _ seed: UInt64, limit: Int, count: Int, conversations: Int = 4, messages: Int = 6,
    _ check: ([(event: EventEnvelope, revision: Int64)], [EventEnvelope], EventScript) -> Void
  ) {
    var script = EventScript(seed, conversations: conversations, messages: messages)
    var queue = EventQueue(limit: limit)
    var pushed: [(event: EventEnvelope, revision: Int64)] = []
    var taken: [EventEnvelope] = []
    for number in 1...UInt64(count) {
      let envelope = EventEnvelope(number: number, event: script.next())
      queue.push(PublishedEvent(envelope))
      pushed.append((envelope, script.revision))
      #expect(queue.count <= queue.limit, "seed \(seed)")
      let waiting = queue.counters.pushed - queue.counters.taken - queue.counters.dropped
      #expect(waiting > 0 && waiting >= UInt64(queue.count), "seed \(seed)")
      if script.random.once(in: 9) {
        for _ in 0..<script.random.below(6) { if let next = queue.pop() { taken.append(next) } }
      }
    }
    while let next = queue.pop() { taken.append(next) }
    let counters = queue.counters
    #expect(counters.pushed == counters.taken + counters.dropped && queue.isEmpty, "seed \(seed)")
    #expect(counters.taken == UInt64(taken.reduce(0) { $0 + $1.covers }), "seed \(seed)")
    check(pushed, taken, script)
  }

  @Test("a hint that was merged or widened is covered: later, for every page, and not behind its revision")
  func coverage() {
    for seed in 0..<UInt64(soak(80, 5_000)) {
      let limit = [8, 12, 24, 64][Int(seed % 4)]
      run(seed, limit: limit, count: 300) { pushed, taken, script in
        #expect(zip(taken, taken.dropFirst()).allSatisfy { $0.number < $1.number }, "seed \(seed)")
        for topic in script.topics {
          let interest = Interest([topic])
          let reached = taken.filter { interest.touches($0.event) }
          for (envelope, revision) in pushed where interest.touches(envelope.event) {
            // A reader skips what tells a revision that its page has. Whoever queried before the event has at most
            // `revision`, the newest in the store then; the event itself may be a commit after that.
            let isCovered = reached.contains { cover in
              guard cover.number >= envelope.number else { return false }
              guard !cover.event.requiresFullRequery, let told = cover.revision else { return true }
              return told > revision || told == envelope.revision
            }
            #expect(isCovered, "seed \(seed): nothing covers #\(envelope.number) for \(topic)")
          }
        }
      }
    }
  }

  @Test("the newest event of every key comes out, in its own place or in that of a wider one; the last one always")
  func newest() {
    for seed in 0..<UInt64(soak(80, 5_000)) {
      run(seed, limit: 8, count: 200) { pushed, taken, _ in
        #expect(taken.last?.number == pushed.last?.event.number, "seed \(seed)")
        let states = pushed.map(\.event).filter { $0.event.kind == .stateChanged }
        #expect(taken.last { $0.event.kind == .stateChanged }?.event == states.last?.event, "seed \(seed)")
      }
    }
  }

  @Test("a flood of distinct conversations ends in one hint about everything visible, and the queue stays small")
  func flood() {
    var queue = EventQueue(limit: 32)
    for number in 1...10_000 as ClosedRange<UInt64> {
      let event = upserted(Int64(number), in: "c\(number)")
      queue.push(PublishedEvent(EventEnvelope(number: number, event: event)))
    }
    #expect(queue.count == 1 && queue.counters.overflows == 1)
    let only = queue.pop()
    #expect(only?.covers == 10_000 && only?.number == 10_000 && only?.isWidened == true)
    #expect(only?.event.kind == .syncApplied && only?.event.change?.revisions == 1...10_000)
    #expect(only?.event.change?.affectedCount == 10_000)
  }

  @Test("messages of few conversations become their timelines before anything wider")
  func timelines() {
    var queue = EventQueue(limit: 32)
    for number in 1...40 as ClosedRange<UInt64> {
      let event = ChatEvent.messageMutated(clientMsgID: "m\(number)", conversationID: "c\(number % 2)")
      queue.push(PublishedEvent(EventEnvelope(number: number, event: event)))
    }
    var all: [EventEnvelope] = []
    while let next = queue.pop() { all.append(next) }
    #expect(all.filter(\.isWidened).map { $0.event.change?.conversationID } == ["c1", "c0"])
    #expect(all.reduce(0) { $0 + $1.covers } == 40 && all.allSatisfy { !$0.event.requiresFullRequery })
  }

  @Test("hints that nothing narrower covers end in one that asks for everything")
  func everything() {
    var queue = EventQueue(limit: 16)
    for number in 1...500 as ClosedRange<UInt64> {
      let task = MediaTaskUpdate(taskID: "t\(number)", state: .known(.running))
      queue.push(PublishedEvent(EventEnvelope(number: number, event: .mediaTaskUpdated(task))))
    }
    #expect(queue.count == 1 && queue.pop()?.event.requiresFullRequery == true)
  }

  @Test("nothing is merged across the end of a client")
  func terminalStates() {
    var queue = EventQueue(limit: 8)
    for (number, state) in [ClientState.ready, .connecting, .fatal, .created, .started].enumerated() {
      queue.push(PublishedEvent(EventEnvelope(number: UInt64(number + 1), event: .stateChanged(.known(state)))))
    }
    var states: [ChatEvent] = []
    while let next = queue.pop() { states.append(next.event) }
    #expect(states == [.connecting, .fatal, .started].map { .stateChanged(.known($0)) })
  }

  @Test("the final state of a transfer is not displaced by progress that comes late")
  func finalMedia() {
    var queue = EventQueue(limit: 8)
    for (number, state) in [MediaTaskFact.State.running, .done, .running].enumerated() {
      let update = MediaTaskUpdate(taskID: "t", state: .known(state))
      queue.push(PublishedEvent(EventEnvelope(number: UInt64(number + 1), event: .mediaTaskUpdated(update))))
    }
    let only = queue.pop()
    #expect(only?.event == .mediaTaskUpdated(MediaTaskUpdate(taskID: "t", state: .known(.done))))
    #expect(only?.number == 3 && queue.isEmpty)
  }

  @Test("presence and typing lose their oldest, keep the newest, and never widen a hint")
  func transients() {
    var queue = EventQueue(limit: 16)
    queue.push(PublishedEvent(EventEnvelope(number: 1, event: upserted(1, in: "c"))))
    for number in 2...1_000 as ClosedRange<UInt64> {
      let update = PresenceUpdate(
        userID: "u\(number)", status: .known(.online), sequence: 1, expiresAtMilliseconds: 9)
      queue.push(PublishedEvent(EventEnvelope(number: number, event: .presenceChanged(update))))
    }
    #expect(queue.pop()?.event == upserted(1, in: "c"))
    var users: [String] = []
    while case .presenceChanged(let update)? = queue.pop()?.event { users.append(update.userID) }
    #expect(users == ["u997", "u998", "u999", "u1000"] && queue.counters.dropped == 995)
  }

  @Test("of two typing events of one user the one with the higher sequence stays, until another connection")
  func sequences() {
    var queue = EventQueue(limit: 16)
    func push(_ number: UInt64, _ sequence: Int64, _ isTyping: Bool, generation: UInt64 = 1) {
      let update = TypingUpdate(
        conversationID: "c", userID: "u", isTyping: isTyping, sequence: sequence, expiresAtMilliseconds: 9)
      queue.push(
        PublishedEvent(EventEnvelope(number: number, connectionGeneration: generation, event: .typingChanged(update))))
    }
    push(1, 7, true)
    push(2, 6, false)
    guard case .typingChanged(let first)? = queue.pop()?.event else {
      Issue.record("no typing")
      return
    }
    #expect(first.isTyping && first.sequence == 7)
    push(3, 7, true)
    push(4, 1, false, generation: 2)
    guard case .typingChanged(let second)? = queue.pop()?.event else {
      Issue.record("no typing")
      return
    }
    #expect(!second.isTyping)
  }

  @Test("ids that only look the same are different keys")
  func bytes() {
    var queue = EventQueue(limit: 8)
    queue.push(PublishedEvent(EventEnvelope(number: 1, event: upserted(1, in: "caf\u{E9}"))))
    queue.push(PublishedEvent(EventEnvelope(number: 2, event: upserted(2, in: "cafe\u{301}"))))
    #expect(queue.count == 2)
  }
}
