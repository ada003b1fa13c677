import Foundation
import Testing
import Weir
import WeirHistory
import WeirStore

@testable import HistoryProbe

/// Files that are restored, replaced or reached by another name under a running process (G19).
@Suite(.serialized, .timeLimit(.minutes(15))) struct RestoreTests {
  /// Copies a store into another by SQLite's own means.
  private func copy(_ source: String, to target: String) throws {
    let connection = try Connection(path: source, options: ConnectionOptions(access: .readWrite))
    try connection.execute("VACUUM INTO '\(target)'")
    connection.close()
  }

  /// Puts the pages of a backup into a file that processes have open, as `.restore` of the sqlite3 shell does.
  private func restore(_ backup: String, into path: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    shell.arguments = ["-cmd", ".timeout 5000", path, ".restore '\(backup)'"]
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
  }

  private static let hasShell = FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")

  @Test(.enabled(if: hasShell))
  func
    `CloudCore 5, G19: a reader under which the file is restored rebuilds, and writers are still told by their names`()
    async throws
  {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let app = try ProbeProcess("follow", shared.path, "app")
    try await app.ready()
    #expect(try await ProbeProcess("write", shared.path, "first", "--count", "3").ended())
    try await eventually("\(app.lines)") { app.numbers("merged").last == 3 }
    try copy(shared.path, to: shared.folder + "/backup")
    let history = try await shared.open()
    // Registered after the backup was made.
    for _ in 0..<4 { try await history.insertMessage(as: "later") }
    try await eventually("\(app.lines)") { app.numbers("merged").last == 7 }
    try restore(shared.folder + "/backup", into: shared.path)
    try await eventually("\(app.lines)") { app.lines.contains("rebuilt") }
    let seq = try await history.insertMessage(as: "later")
    #expect(seq == 4)
    try await eventually("\(app.lines)") { app.lines.last == "merged 4 later 1" }
    try await app.finish()
    #expect(try shared.number("SELECT count(*) FROM copy") == shared.number("SELECT count(*) FROM message"))
    await history.close()
  }

  @Test func `G19: where another file is put in the place of an open one, reading and writing fail with a typed error`()
    async throws
  {
    let shared = try SharedStore()
    defer { shared.keep() }
    let history = try await shared.open()
    try await history.register("app")
    try await history.insertMessage(as: "ext")
    try copy(shared.path, to: shared.folder + "/other")
    let waiting = Task { () -> HistoryError? in
      do throws(HistoryError) {
        for try await _ in history.pages(after: try await history.now()) {}
        return nil
      } catch {
        return error
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: shared.path + suffix) }
    #expect(rename(shared.folder + "/other", shared.path) == 0)
    let written = await #expect(throws: HistoryError.self) { try await history.insertMessage(as: "ext") }
    #expect(written?.code == StoreError.Kind.fileGone.rawValue)
    // The one that waits hears of it, though nothing was committed.
    #expect(await waiting.value?.code == StoreError.Kind.fileGone.rawValue)
    let read = await #expect(throws: HistoryError.self) { _ = try await history.now() }
    #expect(read?.code == StoreError.Kind.fileGone.rawValue)
    await history.close()
    // Opened anew it goes on where the other file stands.
    let again = try await shared.open()
    #expect(try await again.insertMessage(as: "ext") == 2)
    await again.close()
    #expect(try shared.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `a store that is reached by another name has one lock, one place for bells and one watch`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    let first = try await shared.open()
    let other = shared.folder + "/elsewhere"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: other + "/link.sqlite", withDestinationPath: shared.path)
    let second = try await ProbeStore.open(other + "/link.sqlite")
    #expect(second.path == first.path)
    try await second.insertMessage(as: "ext")
    #expect(try await first.now().seq == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: other) == ["link.sqlite"])
    await second.close()
    await first.close()
  }

  @Test func `what was recorded under an older declaration is read by that declaration`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var history = try await fixture.open([
      TrackedTable("person", key: ["id"], columns: ["name"], tombstone: ["name", "age"])
    ])
    let start = try await history.now()
    try await history.run("INSERT INTO person (name, age) VALUES ('Ann', 5), ('Bo', 6)", as: "app")
    try await history.run("UPDATE person SET name = 'Anna' WHERE name = 'Ann'", as: "app")
    try await history.run("DELETE FROM person WHERE age = 5", as: "app")
    // Another program declares it otherwise, while this one reads on.
    let newer = try await fixture.open([
      TrackedTable("person", key: ["id"], columns: ["age", "name"], tombstone: ["age"])
    ])
    try await newer.run("UPDATE person SET age = 7", as: "app")
    try await newer.run("DELETE FROM person", as: "app")
    for reader in [history, newer] {
      let changes = try await reader.page(after: start, from: .everybody).transactions.flatMap(\.changes)
      #expect(changes.filter { $0.operation == .update }.map(\.columns) == [["name"], ["age"]])
      #expect(
        changes.filter { $0.operation == .delete }.map(\.tombstone)
          == [["name": .text("Anna"), "age": .integer(5)], ["age": .integer(7)]])
      #expect(Set(changes.map(\.entity)) == ["person"])
    }
    await newer.close()
    await history.close()
    // The older one is started again: nothing piles up however often they take turns.
    for _ in 0..<3 {
      history = try await fixture.open([
        TrackedTable("person", key: ["id"], columns: ["name"], tombstone: ["name", "age"])
      ])
      await history.close()
      try await fixture.open([TrackedTable("person", key: ["id"], columns: ["age", "name"], tombstone: ["age"])])
        .close()
    }
    let reader = try Connection(path: fixture.path, options: .reader)
    // The second tells the columns of both from then on, and what a deletion keeps is still each one's own.
    #expect(try reader.prepare("SELECT count(*) FROM history_entity").firstInt64() == 3)
    #expect(
      try reader.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'history_%_insert'")
        .firstInt64() == 1)
  }
}

extension History {
  @discardableResult
  func insertMessage(as author: String) async throws -> Int64? {
    try await run("INSERT INTO message (client, sender) VALUES (hex(randomblob(8)), '\(author)')", as: author)
  }
}
