import Foundation
import Testing
import WeirHistory
import WeirStore

/// Observers: cases 4, 6–21, 30–32 and 50 of the history spec, with exact values.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ObserverTests {
  private func prepared() async throws -> (HistoryFixture, History, PassHarness) {
    let fixture = try HistoryFixture()
    let history = try await fixture.open()
    try await history.register("app")
    return (fixture, history, PassHarness(history))
  }

  @Test func `cases 4 and 6: an observer is called once with entity, operation, author and key`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<[HookContext]>()
    harness.observers.register(entity: "Person", operation: .insert) { calls.add($0) }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(calls.all.count == 1 && calls.all[0].count == 1)
    let context = calls.all[0][0]
    #expect(context.entityName == "Person" && context.operation == .insert && context.author == "ext")
    #expect(context.process == Int64(getpid()))
    #expect(context.objectIDURL.absoluteString == "weir://\(context.delivery.store)/Person/1")
    #expect(context.key == [.integer(1)] && context.tombstone == nil && context.seq == 1)
    await history.close()
  }

  @Test func `cases 7, 10, 11: removed by id it is not called, and a second removal says so`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<Int>()
    let id = harness.observers.register(entity: "Person", operation: .insert) { calls.add($0.count) }
    let other = harness.observers.register(entity: "Item", operation: .insert) { calls.add($0.count) }
    #expect(harness.observers.remove(id) && !harness.observers.remove(id))
    #expect(harness.observers.remove(other))
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(calls.all.isEmpty && harness.observers.isEmpty)
    await history.close()
  }

  @Test func `cases 8, 9: each entity calls its own observer`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<String>()
    for entity in ["Person", "Item"] {
      harness.observers.register(entity: entity, operation: .insert) { calls.add("\(entity) \($0.count)") }
    }
    try await history.insert("Ann", as: "ext")
    try await history.run("INSERT INTO item VALUES ('a', 1, 'x')", as: "ext")
    try await harness.run()
    #expect(calls.all == ["Person 1", "Item 1"])
    await history.close()
  }

  @Test func `cases 12, 14: observers of a key are called in the order of their registration`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<Int>()
    let ids = (1...3).map { number in
      harness.observers.register(entity: "Person", operation: .insert) { _ in calls.add(number) }
    }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(calls.all == [1, 2, 3])
    #expect(harness.observers.remove(ids[1]))
    try await history.insert("Bo", as: "ext")
    try await harness.run()
    #expect(calls.all == [1, 2, 3, 1, 3])
    #expect(ids.map { harness.observers.remove($0) } == [true, false, true])
    await history.close()
  }

  @Test func `cases 13, 15: removal by key and of all`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<String>()
    var ids = (1...3).map { _ in
      harness.observers.register(entity: "Person", operation: .insert) { _ in calls.add("insert") }
    }
    ids.append(harness.observers.register(entity: "Person", operation: .update) { _ in calls.add("update") })
    harness.observers.removeAll(entity: "Person", operation: .insert)
    try await history.insert("Ann", as: "ext")
    try await history.run("UPDATE person SET name = 'Bo'", as: "ext")
    try await harness.run()
    #expect(calls.all == ["update"])
    harness.observers.removeAll()
    try await history.run("UPDATE person SET name = 'Cy'", as: "ext")
    try await harness.run()
    #expect(calls.all == ["update"] && ids.allSatisfy { !harness.observers.remove($0) })
    await history.close()
  }

  @Test func `cases 16–19: one call for each entity and operation of a transaction, with all its rows`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<String>()
    for entity in ["Person", "Item"] {
      for operation in HistoryOperation.allCases {
        harness.observers.register(entity: entity, operation: operation) { contexts in
          let kept = contexts.allSatisfy { ($0.tombstone != nil) == (operation == .delete && entity == "Person") }
          calls.add("\(entity) \(operation) \(contexts.count) \(kept)")
        }
      }
    }
    try await history.insert("a", "b", "c", "d", "e", as: "ext")
    try await history.run(
      "INSERT INTO person (name) VALUES ('f'), ('g'), ('h'); INSERT INTO item VALUES ('s', 1, ''), ('s', 2, '')",
      as: "ext")
    try await history.run(
      "UPDATE person SET age = 1 WHERE id < 3; INSERT INTO person (name) VALUES ('i'), ('j')", as: "ext")
    try await history.run("DELETE FROM person WHERE id IN (1, 2, 3)", as: "ext")
    try await harness.run()
    #expect(
      calls.all == [
        "Person insert 5 true", "Person insert 3 true", "Item insert 2 true", "Person update 2 true",
        "Person insert 2 true", "Person delete 3 true",
      ])
    await history.close()
  }

  @Test func `case 20: nothing is joined across transactions`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<Int>()
    harness.observers.register(entity: "Person", operation: .insert) { calls.add($0.count) }
    try await history.insert("a", "b", as: "ext")
    try await history.insert("c", "d", "e", as: "ext")
    try await harness.run()
    #expect(calls.all == [2, 3])
    await history.close()
  }

  @Test func `case 21: groups come in the order of their first change`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<String>()
    for entity in ["Item", "Person"] {
      for operation in HistoryOperation.allCases {
        harness.observers.register(entity: entity, operation: operation) { _ in calls.add("\(entity) \(operation)") }
      }
    }
    try await history.insert("a", as: "app")
    try await history.run(
      """
      DELETE FROM person; INSERT INTO person (name) VALUES ('b'); INSERT INTO item VALUES ('s', 1, '');
      DELETE FROM person
      """, as: "ext")
    try await harness.run()
    #expect(calls.all == ["Person delete", "Person insert", "Item insert"])
    await history.close()
  }

  @Test func `cases 30–32: a tombstone holds the declared columns with their types, and only a deletion has one`()
    async throws
  {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<HookContext>()
    for operation in HistoryOperation.allCases {
      harness.observers.register(entity: "Person", operation: operation) { calls.add($0[0]) }
    }
    try await history.run("INSERT INTO person VALUES (1, 'Ann', 30, x'01')", as: "ext")
    try await history.run("UPDATE person SET age = 31", as: "ext")
    try await history.run("DELETE FROM person", as: "ext")
    try await harness.run()
    #expect(calls.all.map { $0.tombstone != nil } == [false, false, true])
    #expect(calls.all[2].tombstone?.attributes == ["name": .text("Ann"), "age": .integer(31)])
    #expect(calls.all[2].tombstone?.deletedDate == calls.all[2].timestamp)
    await history.close()
  }

  @Test func `case 50: insert, update and delete each reach their observer`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<HistoryOperation>()
    for operation in HistoryOperation.allCases.reversed() {
      harness.observers.register(entity: "Person", operation: operation) { _ in calls.add(operation) }
    }
    for sql in ["INSERT INTO person (name) VALUES ('a')", "UPDATE person SET name = 'b'", "DELETE FROM person"] {
      try await history.run(sql, as: "ext")
      try await harness.run()
    }
    #expect(calls.all == [.insert, .update, .delete])
    await history.close()
  }

  @Test func `an observer of columns is woken by no other column`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<Set<String>>()
    harness.observers.register(entity: "Person", operation: .update, columns: ["name"]) { calls.add($0[0].columns) }
    try await history.insert("Ann", as: "ext")
    try await history.run("UPDATE person SET age = 1", as: "ext")
    try await history.run("UPDATE person SET photo = x'01'", as: "ext")
    try await history.run("UPDATE person SET name = 'Bo', age = 2", as: "ext")
    try await harness.run()
    #expect(calls.all == [["name", "age"]])
    await history.close()
  }

  @Test func `G7: one that is removed while its group is told is still called for it, and not for later ones`()
    async throws
  {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<String>()
    let observers = harness.observers
    let second = Notes<Bool>()
    observers.register(entity: "Person", operation: .insert) { contexts in
      calls.add("first \(contexts[0].seq)")
      if contexts[0].seq == 1 {
        observers.removeAll(entity: "Person", operation: .insert)
        observers.register(entity: "Person", operation: .insert) { calls.add("added \($0[0].seq)") }
      }
    }
    observers.register(entity: "Person", operation: .insert) { contexts in
      calls.add("second \(contexts[0].seq)")
      second.add(true)
    }
    try await history.insert("a", as: "ext")
    try await history.insert("b", as: "ext")
    try await harness.run()
    #expect(calls.all == ["first 1", "second 1", "added 2"])
    await history.close()
  }

  @Test func `observers of the time after the commit see the merged state, and only what was merged`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let seen = Notes<String>()
    for (phase, name) in [(HistoryObservers.Phase.afterCommit, "after"), (.beforeMerge, "before")] {
      harness.observers.register(entity: "Person", operation: .insert, phase: phase) { contexts in
        let rows = try? await history.number("SELECT count(*) FROM projection")
        seen.add("\(name) \(contexts[0].seq): \(rows ?? -1)")
      }
    }
    harness.hooks.register { $0.transactions.contains { $0.seq == 1 } ? .reject(1, "no") : .goOn }
    try await history.insert("a", as: "ext")
    try await history.insert("b", as: "ext")
    try await harness.run()
    #expect(seen.all == ["before 1: 0", "before 2: 0", "after 2: 1"])
    await history.close()
  }

  @Test func `a delivery that comes again can be told from a new one`() async throws {
    struct Once: Error {}
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let deliveries = Notes<HistoryDelivery>()
    harness.observers.register(entity: "Person", operation: .insert) { deliveries.add($0[0].delivery) }
    harness.hooks.register { input in
      if input.attempt == 0 { throw Once() }
      return .goOn
    }
    try await history.insert("a", as: "ext")
    try await harness.run()
    #expect(deliveries.all.count == 2 && Set(deliveries.all).count == 1)
    try await history.insert("b", as: "ext")
    try await harness.run()
    #expect(Set(deliveries.all).count == 2)
    await history.close()
  }

  @Test func `an observer past its deadline is cancelled, and the pass goes on`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let cancelled = Notes<Bool>()
    harness.observers.register(
      entity: "Person", operation: .insert, name: "sleeper",
      budget: HookBudget(patience: .milliseconds(1), deadline: .milliseconds(20))
    ) { _ in
      do {
        try await Task.sleep(for: .seconds(3_600))
      } catch {
        cancelled.add(true)
      }
    }
    try await history.insert("a", as: "ext")
    try await harness.run()
    #expect(cancelled.all == [true])
    #expect(harness.events.all.contains { if case .slowHook("sleeper", _) = $0 { true } else { false } })
    #expect(harness.events.all.contains { if case .observerCancelled("sleeper", _) = $0 { true } else { false } })
    #expect(try await history.cursor(of: "app").seq == 1)
    await history.close()
  }
}
