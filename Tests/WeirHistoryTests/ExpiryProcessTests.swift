import Foundation
import Testing
import WeirHistory
import WeirStore

@testable import HistoryProbe

/// Readers that were away for longer than the history was kept, and readers that must not lose it.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ExpiryProcessTests {
  @Test
  func `PersistentHistoryTrackingKit 7: cleaning after every pass takes nothing from an exporter that is not running`()
    async throws
  {
    let shared = try SharedStore()
    defer { shared.keep() }
    let history = try await shared.open()
    try await history.register("app")
    try await history.register("exporter", as: .exporter)
    await history.close()
    let app = try ProbeProcess("follow", shared.path, "app", "--clean", "--page", "4")
    try await app.ready()
    #expect(try await ProbeProcess("write", shared.path, "ext", "--count", "30").ended())
    try await eventually("\(app.lines.suffix(2))") { app.numbers("merged").last == 30 }
    #expect(try shared.number("SELECT count(*) FROM history_txn") == 30)
    let exporter = try ProbeProcess("follow", shared.path, "exporter", "--export", "--clean")
    try await eventually("\(exporter.lines.suffix(2))") { exporter.numbers("merged").last == 30 }
    #expect(exporter.numbers("merged") == Array(1...30) && !exporter.lines.contains("rebuilt"))
    try await eventually { try shared.number("SELECT count(*) FROM history_txn") == 0 }
    try await app.finish()
    try await exporter.finish()
    try shared.expectMerged("exporter")
  }

  @Test
  func `Trio PR 1247, sync_gateway 2622, Nosdesk PR 234: a reader whose history is gone rebuilds, without ghosts`()
    async throws
  {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app", "other")
    let first = try ProbeProcess("follow", shared.path, "app")
    try await first.ready()
    #expect(try await ProbeProcess("write", shared.path, "ext", "--count", "6").ended())
    try await eventually("\(first.lines)") { first.numbers("merged").last == 6 }
    try await first.finish()
    // While it is away it is given up, rows that it knows are deleted, and what tells of that is purged.
    let history = try await shared.open()
    try await history.retire("app")
    try await history.run(
      "DELETE FROM message WHERE id % 2 = 0; UPDATE message SET body = 'new' WHERE id = 1", as: "ext")
    try await history.catchUp("other")
    #expect(try await history.clean().purgedThrough == 7)
    let again = try ProbeProcess("follow", shared.path, "app")
    try await eventually("\(again.lines)") { again.lines.contains("rebuilt") }
    try await history.insertMessage(as: "ext")
    try await eventually("\(again.lines)") { again.numbers("merged") == [8] }
    try await again.finish()
    await history.close()
    try shared.expectMerged("app", from: 8)
    #expect(try shared.text("SELECT group_concat(id) FROM (SELECT id FROM copy ORDER BY id)") == "1,3,5,6")
    #expect(try shared.text("SELECT body FROM copy WHERE id = 1") == "new")
  }

  @Test func `an exporter that rebuilds stays one`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    let history = try await shared.open()
    try await history.register("exporter", as: .exporter)
    try await history.retire("exporter")
    let exporter = try ProbeProcess("follow", shared.path, "exporter", "--export")
    try await eventually { exporter.lines.contains("rebuilt") }
    try await history.insertMessage(as: "ext")
    try await eventually { exporter.numbers("merged") == [1] }
    try await exporter.finish()
    #expect(try await history.authors().first { $0.name == "exporter" }?.role == .exporter)
    await history.close()
  }
}
