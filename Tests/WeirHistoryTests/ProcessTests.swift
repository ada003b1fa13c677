import Foundation
import Testing
import WeirHistory
import WeirStore

@testable import HistoryProbe

/// A folder with a store that several processes have open.
final class SharedStore: Sendable {
  let folder: String
  let path: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/history-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/store.sqlite"
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Called last: keeps the folder until then.
  func keep() {}

  func open(_ options: HistoryOptions = HistoryOptions()) async throws -> History {
    try await ProbeStore.open(path, options: options)
  }

  /// Makes the file and registers readers that begin at its beginning.
  func prepare(_ readers: String...) async throws {
    let history = try await open()
    for reader in readers { try await history.register(reader) }
    await history.close()
  }

  func connection() throws -> Connection { try Connection(path: path, options: .reader) }

  func number(_ sql: String) throws -> Int64 { try connection().prepare(sql).firstInt64() ?? 0 }

  func text(_ sql: String) throws -> String { try connection().prepare(sql).firstString() ?? "" }

  /// Numbers of `history_txn` are dense from 1 on, and each transaction has its changes.
  func expectDense(_ count: Int64? = nil) throws {
    let head = try number("SELECT coalesce(max(seq), 0) FROM history_txn")
    #expect(try number("SELECT count(*) FROM history_txn") == head)
    if let count { #expect(head == count) }
    #expect(try text("PRAGMA integrity_check") == "ok")
  }

  /// A reader's copy is what the rows are, and it has merged each transaction up to its position once.
  func expectMerged(_ reader: String, from first: Int64 = 1) throws {
    let (cursor, merged) = (
      try number("SELECT cursor FROM history_author WHERE name = '\(reader)'"),
      try number("SELECT count(*) FROM merged WHERE reader = '\(reader)'")
    )
    #expect(merged == cursor - first + 1, "\(reader)")
    #expect(try number("SELECT coalesce(max(seq), 0) FROM merged WHERE reader = '\(reader)'") == cursor, "\(reader)")
    #expect(
      try number(
        """
        SELECT count(*) FROM (SELECT id, body FROM message EXCEPT SELECT id, body FROM copy WHERE reader = '\(reader)')
        """) == 0, "\(reader)")
    #expect(
      try number("SELECT count(*) FROM copy WHERE reader = '\(reader)'") == number("SELECT count(*) FROM message"),
      "\(reader)")
  }
}

/// Real processes on one store: cases 48 and 55, and the reports of extensions whose writes nobody sees.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ProcessTests {
  private static let ways = [[], ["--no-bell"], ["--no-watch"], ["--no-bell", "--no-watch", "--period", "50"]]

  @Test(arguments: ways)
  func `CoreStore 309, GRDB 702 and 638, deltachat-ios 732: app, extensions and exporter see each other's rows`(
    way: [String]
  ) async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app", "exporter")
    let app = try ProbeProcess(["follow", shared.path, "app"] + way)
    let exporter = try ProbeProcess(["follow", shared.path, "exporter"] + way)
    try await app.ready()
    try await exporter.ready()
    // They wait for changes now; a row of the one writer is seen before the other writes.
    for (number, author) in ["ext.share", "ext.notify"].enumerated() {
      let writer = try ProbeProcess(["write", shared.path, author, "--rows", "2"] + way)
      #expect(try await writer.ended())
      #expect(writer.numbers("wrote") == [Int64(number + 1)])
      for reader in [app, exporter] {
        try await eventually("\(reader.lines)") { reader.numbers("merged").last == Int64(number + 1) }
        #expect(reader.lines.last == "merged \(number + 1) \(author) 2")
      }
    }
    try await app.finish()
    try await exporter.finish()
    try shared.expectMerged("app")
    try shared.expectMerged("exporter")
  }

  @Test(arguments: ways)
  func `a program that knows nothing of the history is seen`(way: [String]) async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let app = try ProbeProcess(["follow", shared.path, "app", "--period", "50"] + way)
    try await app.ready()
    let raw = try ProbeProcess("raw", shared.path)
    try await raw.ready()
    try raw.tell("INSERT INTO message (client, sender, body) VALUES ('a', 'raw', 'x')")
    try await eventually("\(app.lines)") { app.lines.contains("merged 1 nobody 1") }
    try raw.tell("UPDATE message SET body = 'y'; DELETE FROM message")
    try await eventually("\(app.lines)") { app.lines.contains("merged 3 nobody 1") }
    try await raw.finish()
    if FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") {
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
      shell.arguments = [shared.path, "INSERT INTO message (client, sender, body) VALUES ('b', 'shell', 'x')"]
      try shell.run()
      try await eventually("\(app.lines)") { app.lines.contains("merged 4 nobody 1") }
      shell.waitUntilExit()
    }
    try await app.finish()
    try shared.expectMerged("app")
  }

  @Test func `case 55: a reader that is stopped moves no position, and begins where it stood`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let app = try ProbeProcess("follow", shared.path, "app")
    try await app.ready()
    #expect(app.lines.first == "ready 0")
    #expect(try await ProbeProcess("write", shared.path, "ext").ended())
    try await eventually("\(app.lines)") { app.numbers("merged") == [1] }
    try await app.finish()
    #expect(try await ProbeProcess("write", shared.path, "ext").ended())
    #expect(try shared.number("SELECT cursor FROM history_author WHERE name = 'app'") == 1)
    // Written while it was stopped: merged without any event.
    let again = try ProbeProcess("follow", shared.path, "app")
    try await eventually("\(again.lines)") { again.numbers("merged") == [2] }
    #expect(again.lines.first == "ready 1")
    try await again.finish()
    try shared.expectMerged("app")
  }

  @Test
  func `PersistentHistoryTrackingKit PR 3: the same row from two processes is one row and one insertion`()
    async throws
  {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let writers = try ["ext.share", "ext.notify"].map {
      try ProbeProcess("write", shared.path, $0, "--same", "--count", "50", "--rows", "2")
    }
    for writer in writers { #expect(try await writer.ended()) }
    let app = try ProbeProcess("follow", shared.path, "app")
    try await eventually("\(app.lines.suffix(3))") {
      try shared.number("SELECT cursor = (SELECT max(seq) FROM history_txn) FROM history_author WHERE name = 'app'")
        == 1
    }
    try await app.finish()
    #expect(try shared.number("SELECT count(*) FROM message") == 100)
    #expect(try shared.number("SELECT count(*) FROM history_change WHERE op = 0") == 100)
    try shared.expectMerged("app")
  }

  @Test
  func
    `postgresql-event-sourcing 2, eventuous 222: four processes write, no number is skipped and no reader misses one`()
    async throws
  {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let count = soak(150, 2_000)
    let app = try ProbeProcess("follow", shared.path, "app")
    try await app.ready()
    let writers = try (0..<4).map { try ProbeProcess("write", shared.path, "writer \($0)", "--count", "\(count)") }
    // None of them is told that the store is busy: that would end it.
    for writer in writers {
      #expect(try await writer.ended(), "\(writer.lines.suffix(1))")
      #expect(writer.numbers("wrote").count == count)
    }
    #expect(Set(writers.flatMap { $0.numbers("wrote") }) == Set(1...Int64(4 * count)))
    try await eventually("\(app.lines.suffix(3))") { app.numbers("merged").count >= 4 * count }
    #expect(app.numbers("merged") == Array(1...Int64(4 * count)))
    try await app.finish()
    try shared.expectDense(Int64(4 * count))
    try shared.expectMerged("app")
  }

  @Test func `bells of processes that were killed are taken down by who rings next`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    func bells() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: shared.path + "-bells") }
    let victims = try (0..<3).map { try ProbeProcess("follow", shared.path, "reader \($0)") }
    for victim in victims { try await victim.ready() }
    try await eventually { try bells().count == 3 }
    for victim in victims {
      victim.signal(SIGKILL)
      try await victim.ended()
    }
    #expect(try bells().count == 3)
    #expect(try await ProbeProcess("write", shared.path, "ext").ended())
    #expect(try bells() == [])
  }
}
