import ChatFixtures
import WeirChat
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A process for the tests to kill, or to run out of space in.
///
///     StoreKillProbe ingest PATH SEED COUNT BATCH   applies a script and prints the facts acknowledged so far
///     StoreKillProbe replay PATH SEED COUNT BATCH   goes on with a script of all kinds of facts where the store says that
///                                                   it stopped; prints the facts acknowledged so far
///     StoreKillProbe search PATH SEED COUNT BATCH   the same with a search index, which gets pauses to work in
///     StoreKillProbe fill PATH SEED BYTES           applies a script until no file may grow beyond BYTES, then lifts
///                                                   the limit and goes on; prints what happened
///     StoreKillProbe index PATH SEED BYTES          stores a script, then makes its search index until no file may grow
///                                                   beyond BYTES, then lifts the limit and goes on; prints what happened
///     StoreKillProbe hold PATH SEED NUMBER          takes the writer's lock and stops (SIGSTOP) with it in its hands; lets
///                                                   go of it when it is continued
@main
enum StoreKillProbe {
  static func main() async {
    do {
      let arguments = CommandLine.arguments
      guard arguments.count >= 5, let seed = UInt64(arguments[3]), let number = Int(arguments[4]) else {
        return fail("usage: StoreKillProbe ingest|replay|search|fill|index|hold PATH SEED NUMBER [BATCH]")
      }
      if arguments[1] == "ingest" {
        try await ingest(arguments[2], seed, count: number, batch: arguments.count > 5 ? Int(arguments[5]) ?? 1 : 1)
      } else if ["replay", "search"].contains(arguments[1]) {
        try await replay(
          arguments[2], seed, count: number, batch: arguments.count > 5 ? Int(arguments[5]) ?? 1 : 1,
          search: arguments[1] == "search" ? .on : .asStored)
      } else if arguments[1] == "hold" {
        try hold(arguments[2])
      } else if arguments[1] == "index" {
        try await index(arguments[2], seed, limit: number)
      } else {
        try await fill(arguments[2], seed, limit: number)
      }
    } catch {
      fail("\(error)")
    }
  }

  private static func ingest(_ path: String, _ seed: UInt64, count: Int, batch: Int) async throws {
    let facts = try scriptedFacts(seed, count)
    let store = try await SQLiteMessageStore.open(path: path, account: ChatScript.account)
    var done = 0
    while done < facts.count {
      let next = min(done + max(batch, 1), facts.count)
      _ = try await store.apply(Array(facts[done..<next]))
      done = next
      say("\(done)")
    }
    try await store.close()
  }

  private static func replay(
    _ path: String, _ seed: UInt64, count: Int, batch: Int, search: SearchChoice
  ) async throws {
    let facts = try FactScript.facts(seed: seed, count: count)
    let store = try await SQLiteMessageStore.open(
      path: path, account: ChatScript.account, options: .init(search: search))
    let position = try await store.checkpoint(of: "script").value
    var done = Int(position.map { String(decoding: $0, as: UTF8.self) } ?? "") ?? 0
    while done < facts.count {
      let next = min(done + max(batch, 1), facts.count)
      _ = try await store.apply(
        Array(facts[done..<next]), checkpoint: SourceCheckpoint(source: "script", position: Array("\(next)".utf8)))
      done = next
      say("\(done)")
      if search == .on { try await Task.sleep(for: .milliseconds(done % 12)) }
    }
    try await store.close()
    say("finished")
  }

  private static func fill(_ path: String, _ seed: UInt64, limit: Int) async throws {
    let facts = try scriptedFacts(seed, 3_000)
    let store = try await SQLiteMessageStore.open(path: path, account: ChatScript.account)
    // Without this the kernel ends the process instead of failing the write.
    signal(SIGXFSZ, SIG_IGN)
    setFileLimit(rlim_t(max(limit, 0)))
    var done = 0
    var refused = 0
    while done < facts.count {
      let next = min(done + 100, facts.count)
      do {
        _ = try await store.apply(Array(facts[done..<next]))
        done = next
      } catch {
        refused += 1
        guard refused == 1 else { throw error }
        let readable = try await store.totals().value.messages
        let findings = try await store.audit().value
        say("refused \(error.code) after \(done), readable \(readable), findings \(findings.count)")
        setFileLimit(nil)
      }
    }
    say("done \(done)")
    try await store.close()
  }

  private static func index(_ path: String, _ seed: UInt64, limit: Int) async throws {
    let plain = try await SQLiteMessageStore.open(path: path, account: ChatScript.account)
    _ = try await plain.apply(try scriptedFacts(seed, 3_000))
    try await plain.close()
    signal(SIGXFSZ, SIG_IGN)
    setFileLimit(rlim_t(max(limit, 0)))
    let store = try await SQLiteMessageStore.open(
      path: path, account: ChatScript.account, options: .init(search: .on))
    var refused = 0
    while true {
      do {
        try await store.finishSearchIndex()
        break
      } catch {
        refused += 1
        guard refused == 1 else { throw error }
        let behind = try await store.searchProgress().value?.behind ?? -1
        say("refused \(error.code) behind \(behind) \(try await found(store))")
        setFileLimit(nil)
      }
    }
    say("done behind \(try await store.searchProgress().value?.behind ?? -1) \(try await found(store))")
    try await store.close()
  }

  /// What a search finds, and what does not agree in the file.
  private static func found(_ store: SQLiteMessageStore) async throws -> String {
    let page = try await store.search(SearchQuery("收到", limit: 10_000, tailLimit: 10_000)).value
    return "hits \(page.hits.count) unsearched \(page.unsearched) findings \(try await store.audit().value.count)"
  }

  private static func hold(_ path: String) throws {
    let connection = try Connection(path: path, options: ConnectionOptions(access: .readWrite))
    try connection.transaction { () throws(StoreError) in
      say("held")
      raise(SIGSTOP)
    }
    say("released")
  }

  private static func scriptedFacts(_ seed: UInt64, _ count: Int) throws -> [Fact] {
    let decoder = OpenIMCallbackDecoder(account: ChatScript.account)
    return try ChatScript.lines(seed: seed, count: count).compactMap { try decoder.decode($0).fact }
  }

  /// Lets no file of this process grow beyond `bytes`; nil lifts the limit.
  private static func setFileLimit(_ bytes: rlim_t?) {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = bytes ?? limit.rlim_max
    if setrlimit(resource, &limit) != 0 { fail("setrlimit failed") }
  }

  /// Prints past any buffer, since the process may be killed at the next instruction.
  private static func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(1, line, line.count)
  }

  private static func fail(_ text: String) {
    say("failed: \(text)")
    exit(1)
  }
}
