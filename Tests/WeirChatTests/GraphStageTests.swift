import ChatFixtures
import Foundation
import Synchronization
import Testing
import Weir
import WeirStore

@testable import WeirChat

private struct Line: Weighted, Equatable {
  let bytes: [UInt8]
  var weight: Int { bytes.count }
}

@Suite("The chat stages in a graph")
struct GraphStageTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private let decoder = OpenIMCallbackDecoder(account: ChatScript.account)

  @Test("every line comes out once: as a fact, an event, or a refusal with its bytes")
  func decoding() async throws {
    var lines = ChatScript.lines(seed: 1, count: 200).map { Line(bytes: $0) }
    lines.insert(Line(bytes: Array("no json".utf8)), at: 50)
    lines.append(Line(bytes: []))
    let blueprint = try Blueprint("decode") { [lines] graph in
      graph.source("lines", lines).via("decode", DecodeStage(decoder, bytes: \.bytes)).collect("all")
    }
    let all = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(all.count == lines.count)
    for (line, result) in zip(lines, all) {
      let expected = Result { () throws(DecodeError) in try decoder.decode(line.bytes) }
      switch (result, expected) {
      case (.fact(let fact), .success(let decoded)): #expect(decoded.fact == fact)
      case (.event(let event), .success(let decoded)): #expect(decoded == event && event.fact == nil)
      case (.refused(let kept, let error), .failure(let other)): #expect(kept == line && error == other)
      default: Issue.record("\(result) is not \(expected)")
      }
    }
    #expect(Set(all.map(\.kind)).isSuperset(of: [.facts, .refused]))
    // What a link may hold of them is what they keep alive.
    for (line, result) in zip(lines, all) where result.kind == .facts { #expect(result.weight > line.weight / 2) }
  }

  @Test("facts that come while a transaction is under way share the next one")
  func groupCommit() async throws {
    let facts = ChatScript.lines(seed: 2, count: 600).compactMap { try? decoder.decode($0).fact }
    let groups = Mutex<[Int]>([])
    let stage = ProjectionStage(maximum: 100) { (group) async throws(StoreError) in
      groups.withLock { $0.append(group.count) }
      var result = CommitResult()
      result.merged = group.count
      return result
    }
    let blueprint = try Blueprint("group") { graph in
      graph.source("facts", facts).boundary("wait", limit: .elements(1_000)).via("projection", stage)
        .fold("sum", 0) { $0 += $1.merged }
    }
    let sum = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    let sizes = groups.withLock { $0 }
    #expect(sum == facts.count && sizes.reduce(0, +) == facts.count)
    #expect(sizes.allSatisfy { $0 <= 100 })
    #expect(sizes.count < facts.count / 10)
  }

  @Test("a group that failed is tried again as a whole, and its hints come once, after the commit")
  func retry() async throws {
    let facts = ChatScript.lines(seed: 3, count: 300).compactMap { try? decoder.decode($0).fact }
    let store = try await openStore(directory.file("retry.db"))
    let state = Mutex((calls: 0, told: 0))
    let failed: @Sendable (StoreError) -> Void = { _ in state.withLock { $0.told += 1 } }
    let stage = ProjectionStage(onFailure: failed) { (group) async throws(StoreError) in
      let call = state.withLock { state in
        state.calls += 1
        return state.calls
      }
      if call == 1 || call == 2 { throw StoreError(.diskFull, "no room") }
      return try await store.apply(group)
    }
    let retry = Supervision.retry(Backoff(initial: .zero, attempts: 5), then: .fail)
    let blueprint = try Blueprint("retry") { graph in
      graph.source("facts", facts).via("hooks", MergeHookStage(MergeHooks()))
        .via("projection", stage, supervision: retry)
        .via("invalidation", InvalidationEmitter(after: 7)).collect("hints")
    }
    let hints = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(state.withLock { $0.told } == 2)
    #expect(hints.map(\.number) == (8..<(8 + UInt64(hints.count))).map { $0 })
    let log = try await store.changes(since: 0, limit: .max).value.changes
    // Every event is one that the log asks for, in its order.
    let template = ProjectionChange(kind: .known(.syncApplied), origin: .known(.remoteSync))
    let expected = log.flatMap { $0.events(template) }
    #expect(hints.map(\.event) == expected)
    try await store.close()
  }

  @Test("a damaged store is not tried again")
  func hopeless() async throws {
    let facts = ChatScript.lines(seed: 4, count: 10).compactMap { try? decoder.decode($0).fact }
    let calls = Mutex(0)
    let stage = ProjectionStage { (_) async throws(StoreError) in
      calls.withLock { $0 += 1 }
      throw StoreError(.corrupt, "rows are gone")
    }
    let retry = Supervision.retry(Backoff(initial: .zero, attempts: 5), then: .fail)
    let blueprint = try Blueprint("hopeless") { graph in
      graph.source("facts", facts).via("projection", stage, supervision: retry).ignore("end")
    }
    let failure = await #expect(throws: StageFailure.self) { try await blueprint.run() }
    #expect(failure?.code == "store.corrupt" && failure?.node == "projection")
    #expect(calls.withLock { $0 } == 1)
  }

  @Test("what hooks drop is told with the hook and its reason, and goes no further")
  func hooks() async throws {
    let facts = ChatScript.lines(seed: 5, count: 200).compactMap { try? decoder.decode($0).fact }
    var hooks = MergeHooks()
    try hooks.append("no-recalls") { fact in
      if case .recall = fact { return .drop(reason: "recall") }
      return .goOn(fact)
    }
    let dropped = Mutex<[String]>([])
    let stage = MergeHookStage(hooks) { _, hook, reason in dropped.withLock { $0.append("\(hook):\(reason)") } }
    let blueprint = try Blueprint("hooks") { graph in graph.source("facts", facts).via("hooks", stage).collect("all") }
    let all = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    let messages = facts.filter { if case .message = $0 { true } else { false } }
    #expect(all == messages)
    #expect(dropped.withLock { $0 } == Array(repeating: "no-recalls:recall", count: facts.count - messages.count))
  }

  @Test(
    "a change is told by the events that describe it, all with its revision",
    arguments: [
      (.inserted, [.messageUpserted]), (.updated, [.messageUpserted]), ([.recalled], [.messageMutated]),
      ([.recalled, .unread], [.messageMutated, .conversationChanged]),
      ([.recalled, .inserted], [.messageUpserted]),
      ([.inserted, .unread, .summary], [.messageUpserted, .conversationChanged]),
      ([.updated, .unread], [.messageUpserted, .conversationReadChanged, .conversationChanged]),
      ([.unread], [.conversationReadChanged, .conversationChanged]), ([.summary], [.conversationChanged]),
      ([.edited], [.messageMutated]), ([.deleted, .summary], [.messageMutated, .conversationChanged]),
      ([.localEx], [.messageMutated]), ([.sendState], [.messageStateChanged]),
      ([.receipts], [.messageStateChanged, .conversationReadChanged]),
      ([.read, .unread], [.conversationReadChanged, .conversationChanged]),
      ([.cleared, .unread], [.messageUpserted, .conversationChanged]),
      ([.gaps], [.messageUpserted, .conversationChanged]), ([.properties], [.conversationChanged]),
      ([], [.conversationChanged]), ([.inserted, ChangeKinds(rawValue: 1 << 40)], [.projectionInvalidated]),
    ] as [(ChangeKinds, [EventKind])])
  func events(kinds: ChangeKinds, expected: [EventKind]) {
    let change = ConversationChange(conversationID: "c", revision: 3, kinds: kinds, clientMsgIDs: ["m"])
    let events = change.events(ProjectionChange(kind: .known(.syncApplied), accountEpoch: 4))
    #expect(events.map(\.kind) == expected)
    for change in events.compactMap(\.change) {
      #expect(change.projectionRevision == 3 && change.firstRevision == 3 && change.accountEpoch == 4)
      #expect(change.conversationID == "c")
    }
    if expected == [.projectionInvalidated] { #expect(events[0].change?.kind == .unknown(kinds.rawValue)) }
  }

  @Test("what belongs to no conversation names its list or its task")
  func elsewhere() {
    let template = ProjectionChange(kind: .known(.syncApplied))
    let members = ConversationChange(
      conversationID: "", revision: 2, kinds: .social, clientMsgIDs: [],
      social: SocialChange(scope: .groupMembers, scopeID: "g"))
    let social = members.events(template)
    #expect(social.map(\.kind) == [.socialChanged])
    #expect(Interest([.social(.groupMembers, of: "g")]).touches(social[0]))
    #expect(!Interest([.social(.blocks)]).touches(social[0]) && !Interest([.conversations]).touches(social[0]))
    let task = ConversationChange(
      conversationID: "", revision: 3, kinds: .media, clientMsgIDs: [], mediaTaskID: "t"
    ).events(template)
    #expect(task.map(\.kind) == [.mediaTaskUpdated] && Interest([.mediaTask("t")]).touches(task[0]))
  }

  @Test("a commit that changed very much is told by one event that covers all its revisions")
  func batch() {
    var result = CommitResult()
    result.changes = (1...100).map {
      ConversationChange(conversationID: "c\($0)", revision: $0 + 20, kinds: .inserted, clientMsgIDs: ["m", "n"])
    }
    var emitter = InvalidationEmitter(after: 4, batch: 99)
    var all: [EventEnvelope] = []
    emitter.process(result) { all.append($0) }
    #expect(all.map(\.number) == [5] && all[0].event.kind == .syncApplied)
    #expect(all[0].event.change?.revisions == 21...120 && all[0].event.change?.affectedCount == 200)
    result.changes.removeLast()
    emitter.process(result) { all.append($0) }
    #expect(all.map(\.number) == Array(5...104) && all.dropFirst().allSatisfy { $0.event.kind == .messageUpserted })
  }
}
