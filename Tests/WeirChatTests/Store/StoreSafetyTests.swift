import ChatFixtures
import Foundation
import Testing
import WeirStore

@testable import WeirChat

@Suite("The store's files")
struct StoreSafetyTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func filled(_ name: String, seed: UInt64 = 3, account: String = ChatScript.account) async throws -> String {
    let path = directory.file(name)
    let store = try await openStore(path)
    _ = try await store.apply(facts(ChatScript.lines(seed: seed, count: 200)))
    try await store.close()
    return path
  }

  @Test("the witness notes identity and revision once they are on the disk")
  func witness() async throws {
    let path = try await filled("a.db")
    let store = try await openStore(path)
    let noted = try #require(StoreWitness(store: path).read())
    #expect(noted.identity == store.identity)
    #expect(try await noted.revision == store.totals().revision)
    try await store.close()
  }

  @Test("storage E8: a file cut to nothing, a lost log and another store's log beside the file are refused")
  func lostFiles() async throws {
    let (first, second) = (try await filled("a.db"), try await filled("b.db", seed: 4))
    // The file is replaced by nothing.
    try await expect(.corrupt, first) { try Data().write(to: URL(fileURLWithPath: first)) }
    // The file is replaced by another account's or another store's.
    try await expect(.foreignFile, first) {
      try FileManager.default.removeItem(atPath: first)
      try FileManager.default.copyItem(atPath: second, toPath: first)
    }
    // The file is an older copy of itself.
    let older = directory.file("older.db")
    try FileManager.default.copyItem(atPath: second, toPath: older)
    let store = try await openStore(second)
    _ = try await store.apply(facts(ChatScript.lines(seed: 99, count: 50)))
    try await store.close()
    try await expect(.corrupt, second) {
      try FileManager.default.removeItem(atPath: second)
      try FileManager.default.copyItem(atPath: older, toPath: second)
    }
    // Removing the witness accepts it on purpose.
    try FileManager.default.removeItem(atPath: second + "-witness")
    try await openStore(second).close()
  }

  @Test("a refused foreign log is not folded into the file")
  func foreignLog() async throws {
    let (mine, other) = (try await filled("a.db"), directory.file("b.db"))
    let theirs = try await openStore(other)
    _ = try await theirs.apply(facts(ChatScript.lines(seed: 4, count: 100)))
    let before = try Data(contentsOf: URL(fileURLWithPath: mine))
    try FileManager.default.copyItem(atPath: other + "-wal", toPath: mine + "-wal")
    let error = await #expect(throws: StoreError.self) { try await openStore(mine) }
    #expect(error?.kind == .foreignFile || error?.kind == .corrupt)
    #expect(try Data(contentsOf: URL(fileURLWithPath: mine)) == before)
    try FileManager.default.removeItem(atPath: mine + "-wal")
    try? FileManager.default.removeItem(atPath: mine + "-shm")
    let store = try await openStore(mine)
    #expect(try await store.audit().value == [])
    try await store.close()
    try await theirs.close()
  }

  @Test("a damaged store is set aside whole, and a new one takes over what can be read")
  func salvage() async throws {
    let path = directory.file("a.db")
    let store = try await openStore(path)
    var world = RandomFacts(seed: 11)
    let all = try facts(ChatScript.lines(seed: 3, count: 900)) + (0..<300).map { _ in world.next() }
    _ = try await store.apply(all)
    let known = try await store.totals().value.messages
    try await store.close()
    // Zeroes over a page in the middle of the file.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let page = bytes.count / 4096 / 2
    bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0, count: 4096))
    try bytes.write(to: URL(fileURLWithPath: path))

    let aside = try StoreSalvage.setAside(path)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: path + "-witness"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == bytes)
    let fresh = try await openStore(path)
    let report = try await StoreSalvage.salvage(aside, account: ChatScript.account, into: fresh)
    let saved = try await fresh.totals().value.messages
    #expect(report.facts > 0 && saved > known / 2 && saved <= known)
    #expect(try await fresh.audit().value == [])
    // The server delivers the rest again: the content is that of an undisturbed store.
    _ = try await fresh.apply(all)
    let whole = try await openStore(directory.file("whole.db"))
    _ = try await whole.apply(all)
    #expect(try await fresh.contentHash().value == whole.contentHash().value)
    try await fresh.close()
    try await whole.close()
  }

  @Test("an undamaged store is taken over whole, but for the positions of sources")
  func copied() async throws {
    let path = directory.file("a.db")
    let store = try await openStore(path)
    for seed in 0..<5 {
      var world = RandomFacts(seed: UInt64(seed))
      _ = try await store.apply((0..<60).map { _ in world.next() })
    }
    _ = try await store.apply(
      [
        .social(SocialFact(account: Make.account, scope: .blocks, entityID: "e", revision: 1, payload: [1])),
        .mediaTask(MediaTaskFact(account: Make.account, taskID: "t", revision: 1, state: .done)),
      ], checkpoint: SourceCheckpoint(source: "s", position: [1]))
    let hash = try await store.contentHash().value
    try await store.close()
    let fresh = try await openStore(directory.file("b.db"))
    let report = try await StoreSalvage.salvage(path, account: ChatScript.account, into: fresh)
    #expect(report.unreadableRows == 0)
    #expect(try await fresh.contentHash().value == hash)
    #expect(try await fresh.checkpoint(of: "s").value == nil)
    let error = await #expect(throws: StoreError.self) {
      try await StoreSalvage.salvage(path, account: "someone else", into: fresh)
    }
    #expect(error?.kind == .foreignFile)
    try await fresh.close()
  }

  @Test("GRDB.swift 1251: a store that cannot be opened is not deleted, and opens when the cause is gone")
  func notDeleted() async throws {
    let path = try await filled("a.db")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    // A directory where the shared memory should be: it cannot be created, as on a full disk.
    try FileManager.default.createDirectory(atPath: path + "-wal", withIntermediateDirectories: false)
    let error = await #expect(throws: StoreError.self) { try await openStore(path) }
    #expect(
      error.map { [.cannotOpen, .io, .diskFull, .readOnly].contains($0.kind) } == true, "\(String(describing: error))")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    try FileManager.default.removeItem(atPath: path + "-wal")
    let store = try await openStore(path)
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  @Test("a store whose file is moved away, deleted or replaced acknowledges nothing more, and goes on when it is back")
  func fileGone() async throws {
    let directory = try TemporaryDirectory()
    let (path, aside) = (directory.file("a.db"), directory.file("aside.db"))
    let store = try await openStore(path)
    _ = try await store.apply([Make.message("m", seq: 1)])
    #expect(rename(path, aside) == 0)
    for isReplaced in [false, true] {
      if isReplaced { try Data("another file".utf8).write(to: URL(fileURLWithPath: path)) }
      let error = await #expect(throws: StoreError.self) { try await store.apply([Make.message("n", seq: 2)]) }
      #expect(error?.kind == .fileGone && error?.isRetryable == false)
      #expect(try await store.totals().value.messages == 1)
    }
    #expect(rename(aside, path) == 0)
    _ = try await store.apply([Make.message("n", seq: 2)])
    #expect(try await store.totals().value.messages == 2)
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  @Test(
    "a store whose log alone is deleted or replaced acknowledges nothing more; closed, it keeps what it had",
    arguments: [false, true])
  func logGone(isReplaced: Bool) async throws {
    let (path, aside) = (directory.file("a.db"), directory.file("aside"))
    let store = try await openStore(path)
    _ = try await store.apply([Make.message("m", seq: 1)])
    #expect(rename(path + "-wal", aside) == 0)
    if isReplaced { try FileManager.default.copyItem(atPath: aside, toPath: path + "-wal") }
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) { try await store.apply([Make.message("n", seq: 2)]) }
      #expect(error?.kind == .fileGone && error?.isRetryable == false)
      #expect(error?.detail.contains("-wal") == true)
      #expect(try await store.totals().value.messages == 1)
    }
    // Put back, it is as if nothing had been.
    if isReplaced { try FileManager.default.removeItem(atPath: path + "-wal") }
    #expect(rename(aside, path + "-wal") == 0)
    _ = try await store.apply([Make.message("n", seq: 2)])
    #expect(unlink(path + "-wal") == 0)
    let error = await #expect(throws: StoreError.self) { try await store.apply([Make.message("o", seq: 3)]) }
    #expect(error?.kind == .fileGone)
    try await store.close()
    let again = try await openStore(path)
    #expect(try await again.messages(in: Make.group).value.map(\.key.clientMsgID) == ["n", "m"])
    #expect(try await again.audit().value == [])
    try await again.close()
  }

  @Test("a writer of an old account epoch cannot commit, and the new one is not disturbed")
  func epochs() async throws {
    let path = directory.file("a.db")
    let old = try await SQLiteMessageStore.open(path: path, account: Make.account, options: .init(accountEpoch: 1))
    _ = try await old.apply([Make.message("a", seq: 1)])
    let new = try await SQLiteMessageStore.open(path: path, account: Make.account, options: .init(accountEpoch: 2))
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) { try await old.apply([Make.message("b", seq: 2)]) }
      #expect(error?.kind == .staleEpoch)
    }
    _ = try await new.apply([Make.message("c", seq: 3)])
    #expect(try await new.messages(in: Make.group).value.map(\.key.clientMsgID) == ["c", "a"])
    let error = await #expect(throws: StoreError.self) {
      try await SQLiteMessageStore.open(path: path, account: Make.account, options: .init(accountEpoch: 1))
    }
    #expect(error?.kind == .staleEpoch)
    try await old.close()
    try await new.close()
  }

  @Test("several accounts in one process keep to themselves")
  func accounts() async throws {
    let names = ["alice", "bob"]
    var stores: [SQLiteMessageStore] = []
    for name in names { stores.append(try await .open(path: directory.file(name), account: name)) }
    for (index, store) in stores.enumerated() {
      var envelope = Envelope()
      (envelope.seq, envelope.sendTime, envelope.senderID) = (1, Make.time, "carol")
      let key = MessageKey(account: names[index], conversationID: "sg_x", clientMsgID: "same")
      let fact = Fact.message(ChatMessage(key: key, envelope: envelope, content: .text(names[index])))
      #expect(try await store.apply([fact]).inserted == 1)
      #expect(try await stores[1 - index].apply([fact]).rejected.map(\.reason) == [.otherAccount])
    }
    for (index, store) in stores.enumerated() {
      #expect(try await store.messages(in: "sg_x").value.map(\.preview) == [names[index]])
      try await store.close()
    }
  }

  @Test("the position of a source is stored with the facts or not at all")
  func checkpoint() async throws {
    let path = directory.file("a.db")
    let store = try await openStore(path)
    #expect(try await store.checkpoint(of: "push").value == nil)
    _ = try await store.apply([Make.message("a", seq: 1)], checkpoint: .init(source: "push", position: [1, 0]))
    _ = try await store.apply([], checkpoint: .init(source: "pull", position: [7]))
    let result = try await store.apply(
      [Make.message("a", seq: 1)], checkpoint: .init(source: "push", position: [2, 0]))
    #expect(result.changes.isEmpty)
    try await store.close()
    let again = try await openStore(path)
    #expect(try await again.checkpoint(of: "push").value == [2, 0])
    #expect(try await again.checkpoint(of: "pull").value == [7])
    try await again.close()
  }

  private func expect(_ kind: StoreError.Kind, _ path: String, after damage: () throws -> Void) async throws {
    let kept = [path, path + "-witness"].map { ($0, FileManager.default.contents(atPath: $0)) }
    try damage()
    let before = FileManager.default.contents(atPath: path)
    let error = await #expect(throws: StoreError.self) { try await openStore(path) }
    #expect(error?.kind == kind, "\(String(describing: error))")
    #expect(FileManager.default.contents(atPath: path) == before)
    for (name, bytes) in kept { try bytes?.write(to: URL(fileURLWithPath: name)) }
    try? FileManager.default.removeItem(atPath: path + "-wal")
    try? FileManager.default.removeItem(atPath: path + "-shm")
  }
}
