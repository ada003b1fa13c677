import Foundation
import Testing
import WeirHistory
import WeirStore

@testable import WeirCommandKit

@Suite struct `Looking into a history` {
  let folder: TemporaryFolder

  private static let schema = Schema(
    applicationID: 0x7765_6972,
    migrations: [
      Migration(
        "first",
        "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, seen INTEGER); CREATE TABLE other (id INTEGER)"
      )
    ])
  private static let table = TrackedTable(
    "note", entity: "Note", key: ["id"], columns: ["title", "seen"], tombstone: ["title"])

  /// A store with three transactions of `ext` and one of nobody, of which `app` has read the first and `upload` all.
  init() async throws {
    folder = try TemporaryFolder()
    let history = try await open()
    try await history.register("app")
    try await history.register("upload", as: .exporter)
    try await run(history, "INSERT INTO note VALUES (1, 'one', 'x', 0), (2, '\u{1B}[31mtwo', 'y', 0)")
    try await history.pin("export", after: 1)
    try await catchUp(history, ["app", "upload"])
    try await run(history, "UPDATE note SET seen = 1, body = 'z' WHERE id = 1")
    try await run(history, "DELETE FROM note WHERE id = 2")
    await history.close()
    let raw = try Connection(path: folder.file("s"), options: ConnectionOptions(access: .readWrite))
    try raw.execute("INSERT INTO note VALUES (3, 'raw', '', 0)")
    raw.close()
  }

  private func open() async throws -> History {
    try await History.open(folder.file("s"), schema: Self.schema, tracking: [Self.table])
  }

  private func run(_ history: History, _ sql: String) async throws {
    try await history.write(as: "ext", context: "test") { try $0.execute(sql) }
  }

  /// Merges all that is there, as programs do.
  private func catchUp(_ history: History, _ names: [String]) async throws {
    let head = try await history.now().seq
    for name in names {
      let tracker = try await HistoryTracker(history, currentAuthor: name, role: role(name), logLevel: .none)
      for await event in tracker.events() {
        if case .merged = event { break }
        if try await history.cursor(of: name).seq >= head { break }
      }
      for _ in 0..<10_000 where try await history.cursor(of: name).seq < head {
        try await Task.sleep(for: .milliseconds(1))
      }
      await tracker.stopAndWait()
      #expect(try await history.cursor(of: name).seq == head)
    }
  }

  private func role(_ name: String) -> HistoryRole { name == "upload" ? .exporter : .consumer }

  private func json(_ options: String) throws -> [String: Any] {
    let result = try Shell.run("weir history s --json \(options)", in: folder)
    try #require(result.code == 0 && result.errors == "", "\(result.errors)")
    let objects = try result.objects()
    #expect(objects.count == 1 && objects.first?["type"] as? String == "history")
    return try #require(objects.first)
  }

  @Test func `tells authors with role, cursor and lag, tables, pins, and who holds a cleaning back`() throws {
    let found = try json("")
    #expect(found["head"] as? Int == 4 && found["transactions"] as? Int == 4 && found["changes"] as? Int == 5)
    #expect(found["purgedThrough"] as? Int == 0 && found["bytes"] as? Int ?? 0 > 0)
    let authors = try #require(found["authors"] as? [[String: Any]])
    #expect(authors.map { $0["name"] as? String } == ["app", "ext", "upload"])
    #expect(authors.map { $0["role"] as? String } == ["consumer", "write-only", "exporter"])
    #expect(authors.map { $0["cursor"] as? Int } == [1, nil, 1])
    #expect(
      authors.map { $0["lag"] as? Int } == [3, nil, 3] && authors.map { $0["lagChanges"] as? Int } == [3, nil, 3])
    #expect(authors.allSatisfy { $0["lastSeen"] as? Int ?? 0 > 0 })
    let table = try #require((found["tables"] as? [[String: Any]])?.first)
    #expect(table["entity"] as? String == "Note" && table["columns"] as? [String] == ["title", "seen"])
    #expect(table["isRecording"] as? Bool == true)
    #expect((found["pins"] as? [[String: Any]])?.first?["name"] as? String == "export")
    let cleaning = try #require(found["cleaning"] as? [String: Any])
    #expect(cleaning["transactions"] as? Int == 1 && cleaning["name"] as? String == "app")
    let text = try Shell.run("weir history s", in: folder)
    #expect(text.code == 0 && text.output.contains("app holds back all after transaction 1"))
    for word in ["consumer", "exporter", "write-only", "Note", "title, seen", "export"] {
      #expect(text.output.contains(word), "\(text.output)")
    }
  }

  @Test func `prints changes with transaction, author, entity, operation and columns, page by page`() throws {
    let transactions = try #require(try json("--changes")["transactions"] as? [[String: Any]])
    #expect(transactions.map { $0["seq"] as? Int } == [1, 2, 3, 4])
    #expect(transactions.map { $0["author"] as? String } == ["ext", "ext", "ext", nil])
    let changes = transactions.map { $0["changes"] as? [[String: Any]] ?? [] }
    #expect(changes.map(\.count) == [2, 1, 1, 1])
    #expect(changes[0].map { $0["operation"] as? String } == ["insert", "insert"])
    #expect(changes[1][0]["columns"] as? [String] == ["seen"] && changes[1][0]["changesOther"] as? Bool == true)
    #expect(changes[2][0]["operation"] as? String == "delete" && changes[2][0]["key"] as? [Int] == [2])
    #expect((changes[2][0]["tombstone"] as? [String: String])?["title"] == "\u{1B}[31mtwo")
    let first = try json("--changes -n 2")
    #expect((first["transactions"] as? [Any])?.count == 2 && first["next"] as? Int == 2)
    let second = try json("--changes --after 2")
    #expect((second["transactions"] as? [[String: Any]])?.map { $0["seq"] as? Int } == [3, 4] && second["next"] == nil)
    #expect((try json("--changes --after 99")["transactions"] as? [Any])?.isEmpty == true)
    let text = try Shell.run("weir history s --changes -n 3", in: folder)
    #expect(
      text.code == 0 && text.output.contains("seen, others") && text.output.contains("and more; --after 3 goes on"))
    #expect(!text.output.contains("\u{1B}"))
  }

  @Test func `a dry run names who holds back and deletes nothing; a cleaning deletes that and no more`() async throws {
    func files() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() }
    _ = try Shell.run("true", in: folder)
    let before = (try files(), try folder.contents(of: "s"), try folder.contents(of: "s-wal"))
    let dry = try Shell.run("weir history s --clean --dry-run", in: folder)
    #expect(dry.code == 0 && dry.output.hasPrefix("would delete 1 transaction and keep 3\napp holds back"))
    let after = (try files(), try folder.contents(of: "s"), try folder.contents(of: "s-wal"))
    #expect(after == before)
    let real = try #require(try json("--clean")["cleaning"] as? [String: Any])
    #expect(real["transactions"] as? Int == 1 && real["purgedThrough"] as? Int == 1)
    #expect(real["isDryRun"] as? Bool == false && real["heldBackBy"] as? String == "reader")
    let rest = try #require(try json("--changes")["transactions"] as? [[String: Any]])
    #expect(rest.map { $0["seq"] as? Int } == [2, 3, 4])
    let expired = try Shell.run("weir history s --changes --after 0", in: folder)
    #expect(expired.code == ExitCode.noInput.rawValue && expired.errors.contains("[history.expired]"))
    // The readers go on where they were, and the next one in line is named.
    let history = try await open()
    try await catchUp(history, ["app"])
    await history.close()
    #expect((try json("")["cleaning"] as? [String: Any])?["heldBackBy"] as? String == "reader")
    #expect((try json("")["cleaning"] as? [String: Any])?["name"] as? String == "upload")
  }

  @Test func `asks for a dead letter once more, which a dry run names meanwhile`() async throws {
    struct Poison: Error {}
    let history = try await open()
    let tracker = try await HistoryTracker(history, currentAuthor: "app", logLevel: .none, autoStart: false)
    try tracker.registerMergeHook { input in
      if input.transactions.contains(where: { $0.seq == 2 }) { throw Poison() }
      return .goOn
    }
    tracker.start()
    for _ in 0..<20_000 where try await history.cursor(of: "app").seq < 4 {
      try await Task.sleep(for: .milliseconds(1))
    }
    await tracker.stopAndWait()
    try await catchUp(history, ["upload"])
    try await history.unpin("export")
    await history.close()
    let cleaning = try #require(try json("--clean --dry-run")["cleaning"] as? [String: Any])
    #expect(cleaning["heldBackBy"] as? String == "dead-letter" && cleaning["seq"] as? Int == 2)
    #expect(cleaning["name"] as? String == "app" && cleaning["limit"] as? Int == 1)
    #expect(
      try Shell.run("weir history s --clean --dry-run", in: folder).output.contains("app gave up on transaction 2"))
    let text = try Shell.run("weir history s", in: folder).output
    #expect(text.contains("app gave up on transaction 2 after 3 attempts"), "\(text)")
    #expect(text.contains("failed: Poison()"), "the whole reason")
    #expect(text.contains("--replay 2 tries it again"))
    let replays = try #require(try json("--replay 2")["replays"] as? [[String: Any]])
    #expect(replays.count == 1 && replays[0]["author"] as? String == "app" && replays[0]["seq"] as? Int == 2)
    #expect(try Shell.run("weir history s --replay 2", in: folder).output.hasPrefix("app tries transaction 2 again"))
    let unknown = try Shell.run("weir history s --replay 3", in: folder)
    #expect(unknown.code == ExitCode.noInput.rawValue && unknown.errors.contains("[history.unknown-dead-letter]"))
    let again = try await open()
    let mended = try await HistoryTracker(again, currentAuthor: "app", logLevel: .none)
    for _ in 0..<20_000 where try await !again.deadLetters().isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    await mended.stopAndWait()
    await again.close()
    #expect((try json("")["deadLetters"] as? [Any])?.isEmpty == true)
    #expect((try json("--clean --dry-run")["cleaning"] as? [String: Any])?["heldBackBy"] as? String == "nothing")
  }

  @Test func `reads beside a program that writes`() async throws {
    let history = try await open()
    try await run(history, "INSERT INTO note VALUES (9, 'nine', '', 0)")
    #expect(try json("")["head"] as? Int == 5)
    try await run(history, "INSERT INTO note VALUES (10, 'ten', '', 0)")
    #expect((try json("--changes --after 5")["transactions"] as? [Any])?.count == 1)
    await history.close()
  }

  @Test func `tells what cannot be looked into, each with its code`() throws {
    try folder.write("no database at all, but long enough to be looked at as one", to: "text")
    try folder.write("", to: "empty")
    let plain = try Connection(path: folder.file("plain"))
    try plain.execute("CREATE TABLE note (id INTEGER PRIMARY KEY)")
    plain.close()
    let cases: [(String, ExitCode, String)] = [
      ("missing", .noInput, "store.missing"), (".", .noInput, "store.not-a-file"),
      ("empty", .dataRefused, "store.empty"),
      ("text", .dataRefused, "store.corrupt"), ("plain", .dataRefused, "history.not-recorded"),
      ("plain --clean", .dataRefused, "history.not-recorded"), ("s --dry-run", .usage, "usage.conflict"),
      ("s --replay 1 --clean", .usage, "usage.conflict"), ("plain --replay 1", .dataRefused, "history.not-recorded"),
      ("s --after 3", .usage, "usage.conflict"), ("s --clean --changes", .usage, "usage.conflict"),
    ]
    for (arguments, code, word) in cases {
      let result = try Shell.run("weir history \(arguments)", in: folder)
      #expect(result.code == code.rawValue && result.errors.contains(word), "\(arguments): \(result.errors)")
      #expect(result.output == "")
    }
    #expect(try Shell.run("sha256sum plain; ls", in: folder).output.contains("plain"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("plain-lock")))
    #expect(try Shell.run("weir history", in: folder).code == ExitCode.usage.rawValue)
    #expect(try Shell.run("weir help history", in: folder).output.contains("--replay SEQ"))
  }
}
