import Foundation
import Testing
import WeirHistory
import WeirStore

/// Cleaning under load with several processes, and processes that stand still in the middle of a pass.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PurgeProcessTests {
  private func caughtUp(_ shared: SharedStore, _ reader: String) throws -> Bool {
    try shared.number(
      """
      SELECT cursor = coalesce((SELECT max(seq) FROM history_txn), (SELECT purged_through FROM history_store))
      FROM history_author WHERE name = '\(reader)'
      """) == 1
  }

  @Test func `CloudCore 5, G20: two writers, two readers and a cleaner, and no reader has a gap`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app", "exporter")
    let count = soak(200, 5_000)
    let readers = [
      try ProbeProcess("follow", shared.path, "app", "--page", "16"),
      try ProbeProcess("follow", shared.path, "exporter", "--page", "7", "--slow", "1"),
    ]
    let purger = try ProbeProcess("purge", shared.path)
    for one in readers + [purger] { try await one.ready() }
    let writers = try ["ext.share", "ext.notify"].map {
      try ProbeProcess("write", shared.path, $0, "--count", "\(count)")
    }
    for writer in writers { #expect(try await writer.ended(), "\(writer.lines.suffix(1))") }
    let head = Int64(2 * count)
    for reader in readers {
      try await eventually("\(reader.lines.suffix(2))") { reader.numbers("merged").last == head }
      #expect(reader.numbers("merged") == Array(1...head))
      #expect(reader.numbers("observed") == Array(1...head))
    }
    try await eventually("\(purger.lines.suffix(2))") { purger.numbers("purged").last == head }
    #expect(purger.numbers("purged").count > 1)
    for one in readers + [purger] { try await one.finish() }
    for reader in ["app", "exporter"] { try shared.expectMerged(reader) }
    #expect(try shared.number("SELECT count(*) FROM history_change") == 0)
  }

  @Test
  func `GRDB 957, realm-swift 8017: while a reader stands still in a pass others write, and cleaning stops at it`()
    async throws
  {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app", "exporter")
    let exporter = try ProbeProcess("follow", shared.path, "exporter", "--stop-at", "3", "--page", "2")
    let app = try ProbeProcess("follow", shared.path, "app")
    let purger = try ProbeProcess("purge", shared.path)
    for one in [exporter, app, purger] { try await one.ready() }
    #expect(try await ProbeProcess("write", shared.path, "ext", "--count", "4").ended())
    try await eventually("\(exporter.lines)") { exporter.lines.contains("observed 3") }
    #expect(try await ProbeProcess("write", shared.path, "ext", "--count", "60").ended())
    try await eventually("\(app.lines.suffix(2))") { app.numbers("merged").last == 64 }
    let stood = try shared.number("SELECT cursor FROM history_author WHERE name = 'exporter'")
    #expect(stood < 3)
    try await eventually("\(purger.lines)") { try shared.number("SELECT purged_through FROM history_store") == stood }
    // A cleaning of another process says who it is.
    let history = try await shared.open()
    let cleaning = try await history.clean()
    #expect(cleaning.heldBack == .reader("exporter") && cleaning.purgedThrough == stood)
    await history.close()
    exporter.signal(SIGCONT)
    try await eventually("\(exporter.lines.suffix(2))") { exporter.numbers("merged").last == 64 }
    #expect(exporter.numbers("merged") == Array(1...64))
    try await eventually("\(purger.lines)") { purger.numbers("purged").last == 64 }
    for one in [exporter, app, purger] { try await one.finish() }
    for reader in ["app", "exporter"] { try shared.expectMerged(reader) }
  }

  @Test
  func `Maccy 1533: under sustained load the history stays small while the readers live`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let app = try ProbeProcess("follow", shared.path, "app", "--clean")
    try await app.ready()
    let count = soak(1_500, 20_000)
    let writer = try ProbeProcess("write", shared.path, "ext", "--count", "\(count)", "--rows", "4")
    var most: Int64 = 0
    try await eventually("\(writer.lines.suffix(1))") {
      most = max(most, try shared.number("SELECT count(*) FROM history_txn"))
      return writer.numbers("wrote").count == count
    }
    #expect(try await writer.ended())
    try await eventually("\(app.lines.suffix(1))") { try caughtUp(shared, "app") }
    try await eventually { try shared.number("SELECT count(*) FROM history_txn") == 0 }
    // Never more than the reader was behind, which is told as its lag.
    #expect(most < Int64(count))
    try await app.finish()
    try shared.expectMerged("app")
  }

  @Test func `khive 580, YapDatabase 471: a slow observer does not hold the log`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let app = try ProbeProcess("follow", shared.path, "app", "--slow", "20", "--page", "64", "--checkpoint", "200")
    try await app.ready()
    let count = soak(600, 4_000)
    let writer = try ProbeProcess(
      "write", shared.path, "ext", "--count", "\(count)", "--rows", "20", "--checkpoint", "200")
    var largest = 0
    try await eventually("\(writer.lines.suffix(1))") {
      let size = try? FileManager.default.attributesOfItem(atPath: shared.path + "-wal")[.size] as? Int
      largest = max(largest, size ?? 0)
      return writer.numbers("wrote").count == count
    }
    #expect(try await writer.ended())
    // It was in an observer nearly all the time, and the log was folded in all the same. Without that it would have grown
    // by some ten pages a transaction.
    #expect(app.numbers("merged").count < count)
    let page = Int(try shared.number("PRAGMA page_size"))
    #expect(largest < 3 * 200 * (page + 24), "\(largest)")
    app.signal(SIGKILL)
    try await app.ended()
  }
}
