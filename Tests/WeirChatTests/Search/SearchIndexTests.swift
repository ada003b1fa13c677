import ChatFixtures
import Testing
import WeirStore

@testable import WeirChat

@Suite("The search index")
struct SearchIndexTests {
  @Test("what is no longer shown is found neither before nor after the index hears of it, and leaves the index")
  func hidden() async throws {
    let rig = try await SearchRig()
    let ids = ["stays", "recalled", "byseq", "self", "all", "edited", "cleared"]
    _ = try await rig.store.apply(
      ids.enumerated().map { Make.message($1, seq: Int64($0) + 10, text: "needle \($1)") } + [
        Make.message("private", seq: 30, text: "needle private", marks: .isPrivate),
        Make.message("filtered", seq: 31, text: "needle filtered", marks: .filtered),
        Make.content("notice", seq: 32, .notification(.init(contentType: 1_501, detail: "needle"))),
        Make.message("old", seq: 1, in: "sg_other", text: "needle old"),
        Make.message("new", seq: 9, in: "sg_other", text: "needle new"),
      ])
    #expect(try await Set(rig.ids("needle")) == Set(ids + ["old", "new"]))
    try await rig.store.finishSearchIndex()
    #expect(try await rig.entries() == Int64(ids.count) + 2)
    _ = try await rig.store.apply([
      Make.recall("recalled"), Make.recall(seq: 12), Make.delete(.clientMsgID("self")),
      Make.delete(.clientMsgID("all"), scope: .forAll), Make.edit("edited", "thread instead"),
      Make.clear(5, in: "sg_other"), Make.delete(.clientMsgID("cleared")),
    ])
    for isIndexed in [false, true] {
      if isIndexed { while try await rig.index(1) {} }
      #expect(try await Set(rig.ids("needle")) == ["stays", "new"], "indexed: \(isIndexed)")
      #expect(try await rig.ids("thread") == ["edited"])
      #expect(try await rig.store.audit().value == [])
    }
    #expect(try await rig.entries() == 3)
    // A late copy of what was cleared, and of what was recalled.
    _ = try await rig.store.apply([
      Make.message("late", seq: 2, in: "sg_other", text: "needle late"),
      Make.message("recalled", seq: 11, text: "needle"),
    ])
    try await rig.store.finishSearchIndex()
    #expect(try await Set(rig.ids("needle")) == ["stays", "new"])
    try await rig.finish()
  }

  @Test("an own message is found before the server has it, and at its new time afterwards")
  func sending() async throws {
    let rig = try await SearchRig()
    _ = try await rig.store.apply([Make.pending("mine", at: Make.time), Make.message("other", seq: 5, text: "text 5")])
    try await rig.store.finishSearchIndex()
    #expect(try await rig.ids("text") == ["other", "mine"])
    _ = try await rig.store.apply([Make.ack("mine", seq: 7, at: Make.time + 900_000)])
    for _ in 0..<2 {
      let hits = try await rig.store.search(SearchQuery("text")).value.hits
      #expect(hits.map(\.clientMsgID) == ["mine", "other"])
      #expect(hits.first?.time == Make.time + 900_000)
      try await rig.store.finishSearchIndex()
    }
    try await rig.finish()
  }

  @Test(
    "turned on later it is built from the first message, stays on, survives a reopening, and is dropped without a trace"
  )
  func choice() async throws {
    let directory = try TemporaryDirectory()
    let facts = try FactScript.facts(seed: 4, count: 600)
    let rig = try await SearchRig(directory, search: .asStored)
    _ = try await rig.store.apply(facts)
    let (hash, found) = (try await rig.store.contentHash().value, try await rig.ids("call"))
    #expect(!found.isEmpty)
    #expect(try await rig.store.searchProgress().value == nil)
    try await rig.store.close()
    func tables(_ store: SQLiteMessageStore) async throws -> Int64? {
      try await store.readers.read { (reader) throws(StoreError) in
        try reader.connection.prepare("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'search%'").firstInt64()
      }.value
    }
    for (choice, isThere) in [
      (SearchChoice.asStored, false), (.on, true), (.asStored, true), (.on, true), (.off, false), (.asStored, false),
    ] {
      let store = try await SearchRig.open(rig.path, search: choice)
      #expect((try await tables(store) != 0) == isThere)
      #expect(try await store.search(SearchQuery("call")).value.hits.map(\.clientMsgID) == found)
      _ = try await store.indexStep(.init(rows: 100))
      #expect(try await store.search(SearchQuery("call")).value.hits.map(\.clientMsgID) == found)
      #expect((try await store.searchProgress().value != nil) == isThere)
      #expect(try await store.contentHash().value == hash)
      #expect(try await store.audit().value == [])
      try await store.close()
    }
  }

  @Test("the writer indexes by itself when it has a pause", .timeLimit(.minutes(1)))
  func pauses() async throws {
    let directory = try TemporaryDirectory()
    let store = try await SQLiteMessageStore.open(
      path: directory.file("search.db"), account: Make.account, options: .init(search: .on))
    for facts in [[Make.message("a", seq: 1, text: "by itself")], [Make.edit("a", "again by itself")]] {
      _ = try await store.apply(facts)
      while try await store.searchProgress().value?.isComplete != true { try await Task.sleep(for: .milliseconds(5)) }
      let page = try await store.search(SearchQuery("itself", tailLimit: 0)).value
      #expect(page.hits.map(\.clientMsgID) == ["a"] && page.unsearched == 0)
    }
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  @Test("when the log was trimmed beyond the watermark, everything is looked at again and no change is missed")
  func trimmedLog() async throws {
    let rig = try await SearchRig(historyLimit: 1)
    _ = try await rig.store.apply((1...40).map { Make.message("m\($0)", seq: $0, text: "first \($0)") })
    try await rig.store.finishSearchIndex()
    _ = try await rig.store.apply([Make.edit("m3", "second words")])
    // Revisions enough to trim the log.
    for number in 1...400 as ClosedRange<Int64> {
      _ = try await rig.store.apply([Make.set(.draft("draft", time: number), revision: number)])
    }
    let log = try await rig.store.changes(since: 1).value
    #expect(!log.isComplete)
    for _ in 0..<12 {
      #expect(try await rig.ids("second") == ["m3"])
      #expect(try await rig.ids(SearchQuery("first", limit: 100)).count == 39)
      _ = try await rig.index(4)
    }
    try await rig.store.finishSearchIndex()
    #expect(try await rig.store.search(SearchQuery("second", tailLimit: 0)).value.hits.map(\.clientMsgID) == ["m3"])
    try await rig.finish()
  }

  @Test("two messages that would have the same key in the index are both found, in order, page by page")
  func sharedKey() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("search.db")
    let plain = try await SearchRig.open(path)
    _ = try await plain.apply((1...3).map { Make.message("m\($0)", seq: $0, text: "same", at: Make.time) })
    try await plain.close()
    // Numbers of rows that agree in their low bits, as after two million messages.
    let connection = try Connection(path: path)
    try connection.execute("UPDATE messages SET id = 3 + (1 << 21) WHERE id = 1")
    try connection.execute("UPDATE messages SET id = 3 + (1 << 22) WHERE id = 2")
    connection.close()
    let rig = try await SearchRig(directory)
    func find(_ text: String, limit: Int) async throws -> [String] {
      var (found, after): ([String], SearchCursor?) = ([], nil)
      repeat {
        let query = SearchQuery(text, after: after, limit: limit, tailLimit: .max)
        let page = try await rig.store.search(query).value
        found += page.hits.map(\.clientMsgID)
        after = page.next
      } while after != nil
      return found
    }
    repeat {
      for limit in [1, 2, 9] { #expect(try await find("same", limit: limit) == ["m2", "m1", "m3"]) }
    } while try await rig.index(1)
    #expect(try await rig.entries() == 1)
    _ = try await rig.store.apply([Make.recall("m2"), Make.edit("m3", "other")])
    try await rig.store.finishSearchIndex()
    #expect(try await find("same", limit: 9) == ["m1"])
    #expect(try await find("other", limit: 9) == ["m3"])
    try await rig.store.close()
  }

  @Test("any SQLite can use the index, and the writer goes on afterwards")
  func otherPrograms() async throws {
    let rig = try await SearchRig()
    _ = try await rig.store.apply([
      Make.message("a", seq: 1, text: "新的 Invoice"), Make.message("b", seq: 2, text: "旧的"),
    ])
    try await rig.store.finishSearchIndex()
    try await rig.store.close()
    let connection = try Connection(path: rig.path)
    let found = try connection.prepare(
      "SELECT count(*) FROM search_index WHERE search_index MATCH '\"新 的\" AND invoice'")
    #expect(try found.firstInt64() == 1)
    try connection.execute("INSERT INTO search_index(search_index) VALUES('integrity-check')")
    try connection.execute("INSERT INTO search_index(search_index) VALUES('rebuild')")
    try connection.execute("INSERT INTO search_index(search_index) VALUES('optimize')")
    connection.close()
    let store = try await SearchRig.open(rig.path)
    _ = try await store.apply([Make.edit("a", "旧的 too")])
    try await store.finishSearchIndex()
    #expect(try await store.search(SearchQuery("旧的")).value.hits.map(\.clientMsgID) == ["b", "a"])
    #expect(try await store.audit().value == [])
    // What the audit is there for.
    try await store.close()
    let damaging = try Connection(path: rig.path)
    try damaging.execute("UPDATE search_docs SET text = 'lies ' WHERE message = 1")
    damaging.close()
    let damaged = try await SearchRig.open(rig.path)
    #expect(try await damaged.audit().value == ["indexed text of a message: a", "entries of the search index"])
    // An index that lies can hide a message, and show none.
    #expect(try await damaged.search(SearchQuery("lies")).value.hits == [])
    try await damaged.close()
  }

  @Test("a store with an index can be set aside and taken over")
  func salvage() async throws {
    let rig = try await SearchRig()
    _ = try await rig.store.apply([Make.message("a", seq: 1, text: "precious")])
    try await rig.store.finishSearchIndex()
    let hash = try await rig.store.contentHash().value
    try await rig.store.close()
    let aside = try StoreSalvage.setAside(rig.path)
    let fresh = try await SearchRig(rig.directory)
    let report = try await StoreSalvage.salvage(aside, account: Make.account, into: fresh.store)
    #expect(report.unreadableRows == 0)
    try await fresh.store.finishSearchIndex()
    #expect(try await fresh.ids("precious") == ["a"])
    #expect(try await fresh.store.contentHash().value == hash)
    try await fresh.finish()
  }

  @Test(
    "another process sees the index and what is beyond it; a later epoch's store leaves the older one without effect")
  func besides() async throws {
    let rig = try await SearchRig()
    _ = try await rig.store.apply([Make.message("a", seq: 1, text: "shared words")])
    try await rig.store.finishSearchIndex()
    _ = try await rig.store.apply([Make.message("b", seq: 2, text: "shared too")])
    let follower = try await ProjectionFollower.open(path: rig.path)
    let answer = try await follower.search(SearchQuery("shared"))
    #expect(answer.value.hits.map(\.clientMsgID) == ["b", "a"])
    #expect(answer.revision == 2)
    try await follower.close()
    var options = SQLiteMessageStore.Options(accountEpoch: 1)
    options.indexesInPauses = false
    let later = try await SQLiteMessageStore.open(path: rig.path, account: Make.account, options: options)
    await #expect { _ = try await rig.index(10) } throws: { ($0 as? StoreError)?.kind == .staleEpoch }
    try await rig.store.close()
    try await later.finishSearchIndex()
    #expect(try await later.searchProgress().value?.isComplete == true)
    try await later.close()
  }

  @Test("a search that is cancelled or takes too long ends with an error that says so")
  func ends() async throws {
    let rig = try await SearchRig(search: .off)
    _ = try await rig.store.apply((1...2_000).map { Make.message("m\($0)", seq: $0, text: "words") })
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await rig.store.search(SearchQuery("words"))
    }
    task.cancel()
    await #expect { _ = try await task.value } throws: { ($0 as? StoreError)?.kind == .cancelled }
    try await rig.store.close()
    let store = try await SQLiteMessageStore.open(
      path: rig.path, account: Make.account, options: .init(readerAgeLimit: 0))
    await #expect { _ = try await store.search(SearchQuery("words")) } throws: {
      ($0 as? StoreError)?.kind == .timedOut
    }
    try await store.close()
  }
}
