import ChatFixtures
import Foundation
import Testing
import Weir
import WeirStore

@testable import WeirChat

/// Public failure reports of stores (storage spec §F), through the public interface.
@Suite("Failure reports of stores")
struct StorageReports {
  /// One fact of each kind, each of which can be seen, in an order in which all of them change something.
  private static let everyKind: [(kinds: ChangeKinds, fact: Fact)] = [
    (.inserted, Make.message("m", seq: 1)),
    (.inserted, Make.pending("own")),
    (.edited, Make.edit(.clientMsgID("m"), version: 1, text: "edited")),
    (.read, Make.read(1)),
    (.receipts, Make.read(1, by: "carol")),
    (.sendState, Make.attempt("own", .sending)),
    (.sendState, Make.ack("own", seq: 4, at: Make.time)),
    (.localEx, Make.local("m", "words")),
    (.properties, Make.set(.showName("name"))),
    (.gaps, Make.seqs(max: 9)),
    (.recalled, Make.recall("m")),
    (.deleted, Make.delete(.clientMsgID("own"), in: Make.single)),
    (.cleared, Make.clear(1)),
    (.social, .social(SocialFact(account: Make.account, scope: .groups, entityID: "g", revision: 1))),
    (.media, .mediaTask(MediaTaskFact(account: Make.account, taskID: "t", revision: 1, state: .running))),
  ]

  @Test(
    "sqldelight 5001, GRDB.swift 945, sqlite_async 125: every kind of write is told once, under the name readers ask with, whatever table it goes to"
  )
  func everyWriteIsTold() async throws {
    let inbox = try await Inbox()
    var told: [ConversationChange] = []
    for (kinds, fact) in Self.everyKind {
      let changes = try await inbox.deliver([fact])
      #expect(changes.count == 1 && changes.first?.kinds.isSuperset(of: kinds) == true, "\(fact)")
      let names = changes.map {
        $0.conversationID.isEmpty ? $0.mediaTaskID ?? $0.social?.scope.rawValue.description : $0.conversationID
      }
      #expect(names.allSatisfy { $0?.isEmpty == false })
      if !fact.conversationID.isEmpty { #expect(changes.map(\.conversationID) == [fact.conversationID]) }
      told += changes
    }
    // wire-ios-data-model 129: who slept finds the same in the log.
    #expect(try await inbox.store.changes(since: 0, limit: 100).value == ChangeLog(changes: told, isComplete: true))
    try await inbox.finish()
  }

  @Test("GRDB.swift 1400, sqldelight 1422: what changes nothing tells nothing, for every kind of fact")
  func noOps() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver(Self.everyKind.map(\.fact))
    let revision = try await inbox.store.totals().revision
    for (_, fact) in Self.everyKind { #expect(try await inbox.deliver([fact]).isEmpty, "\(fact)") }
    // Older words on the same things.
    #expect(
      try await inbox.deliver([
        Make.edit(.clientMsgID("m"), version: 0, text: "older"), Make.read(0, by: "carol", at: 0),
        Make.set(.showName("older"), revision: 0), Make.local("m", "older", revision: 0),
        Make.attempt("own", .queued), Make.clear(0), Make.seqs(max: 3),
        // An edit of what was taken back is kept, and shown to nobody.
        Make.edit(.clientMsgID("m"), version: 9, text: "newer"),
      ]).isEmpty)
    #expect(try await inbox.store.totals().revision == revision)
    try await inbox.finish()
  }

  @Test("GRDB.swift 1283: two writers that read and then write wait for each other, and no lock is told to anybody")
  func twoWriters() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.db")
    let stores = [try await openStore(path), try await openStore(path)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          for number in 0..<100 {
            _ = try await store.apply([Make.message("m\(index)-\(number)", seq: 0, at: Make.time)])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await stores[0].totals().value.messages == 200)
    #expect(try await stores[1].audit().value == [])
    for store in stores { try await store.close() }
  }

  @Test("GRDB.swift 1612: a call after close is a typed error, from any number of callers")
  func afterClose() async throws {
    let inbox = try await Inbox()
    try await inbox.store.close()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          let error = await #expect(throws: StoreError.self) { try await inbox.store.inbox() }
          #expect(error?.kind == .closed)
          let other = await #expect(throws: StoreError.self) { try await inbox.store.expire(now: 1) }
          #expect(other?.kind == .closed)
        }
      }
    }
  }

  @Test("realm-swift 4590: a file stays below twice its live data through many updates with readers beside")
  func growth() async throws {
    let inbox = try await Inbox()
    let rounds = soak(60, 2_000)
    try await inbox.deliver((1...200).map { Make.message("m\($0)", seq: Int64($0)) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled { _ = try await inbox.store.messages(in: Make.group, limit: 200) }
      }
      for round in 1...rounds {
        _ = try await inbox.store.apply(
          (1...200).map {
            Make.edit(
              .clientMsgID("m\($0)"), version: Int64(round), text: String(repeating: "x", count: 40 + round % 50))
          })
      }
      group.cancelAll()
      try await group.waitForAll()
    }
    let path = inbox.directory.file("inbox.db")
    try await inbox.store.close()
    let connection = try Connection(path: path)
    try connection.execute("VACUUM INTO '\(inbox.directory.file("live.db"))'")
    let sizes = try ["inbox.db", "live.db"].map {
      try FileManager.default.attributesOfItem(atPath: inbox.directory.file($0))[.size] as? Int ?? 0
    }
    #expect(sizes[0] <= 2 * sizes[1], "\(sizes)")
  }

  @Test("realm-swift 7721: a reader may write while it handles its first change")
  func writeFromReader() async throws {
    let inbox = try await Inbox()
    let blueprint = try Blueprint("echo") { graph in
      graph.source("facts", [Make.message("m", seq: 1), Make.message("n", seq: 2)])
        .via("projection", ProjectionStage(inbox.store, maximum: 1))
        .map("answer") { result in result.changes.flatMap(\.clientMsgIDs).map { Make.local($0, "seen") } }
        .via("answers", Answering(store: inbox.store)).ignore("end")
    }
    try await blueprint.run()
    #expect(try await inbox.shown().map(\.localEx) == ["seen", "seen"])
    try await inbox.finish()
  }
}

/// Writes what it is given, while the graph that gave it still runs.
private struct Answering: AsyncStage {
  let store: SQLiteMessageStore

  mutating func process(_ facts: [Fact], _ emit: (Int64) -> Void) async throws(StoreError) {
    emit(try await store.apply(facts).revision)
  }
}
