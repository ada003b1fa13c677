import Foundation
import Testing
import WeirHistory
import WeirStore

/// Processes that are killed at every step of a pass and of a write (G9).
@Suite(.serialized, .timeLimit(.minutes(15))) struct KillTests {
  private static let steps = ["observer", "hook", "merge", "projection", "refresh", "committed"]

  @Test
  func `G9, Trio 665: whoever is killed at whichever step, rows, changes, copies and positions agree`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app", "exporter")
    var random = SystemRandomNumberGenerator()
    let places = Self.steps + ["body", "any writer", "any reader", "any pair"]
    for round in 0..<soak(places.count, 120) {
      let place = places[round % places.count]
      let head = try shared.number("SELECT coalesce(max(seq), 0) FROM history_txn")
      let reader = round % 2 == 0 ? "app" : "exporter"
      var (following, writing): ([String], [String]) = ([], [])
      if Self.steps.contains(place) {
        following = ["--die-at", "\(place):\(head + Int64.random(in: 1...6, using: &random))", "--page", "4"]
      } else if place == "body" {
        writing = ["--die-at", "body:\(Int.random(in: 1...8, using: &random))"]
      }
      let follower = try ProbeProcess(["follow", shared.path, reader] + following)
      let writer = try ProbeProcess(
        [
          "write", shared.path, "ext", "--count", ["any writer", "any pair"].contains(place) ? "0" : "12", "--rows",
          "3",
        ] + writing)
      var victims = Self.steps.contains(place) ? [follower] : place == "body" ? [writer] : []
      if place.hasPrefix("any") {
        if place != "any reader" { victims.append(writer) }
        if place != "any writer" { victims.append(follower) }
        // Somewhere in its work, which differs from round to round.
        let lines = Int.random(in: 2...9, using: &random)
        let watched = place == "any reader" ? follower : writer
        try await eventually("\(watched.lines)") { watched.lines.count >= lines }
        for victim in victims { victim.signal(SIGKILL) }
      }
      for victim in victims { #expect(try await !victim.ended(), "round \(round), \(place): \(victim.lines)") }
      if !victims.contains(where: { $0 === writer }) { #expect(try await writer.ended(), "\(writer.lines.suffix(2))") }
      if !victims.contains(where: { $0 === follower }) {
        try await follower.ready()
        try await follower.finish()
      }
      try shared.expectDense()
      #expect(try shared.text("SELECT coalesce(max(id) & 67108863, 67108863) <> 67108863 FROM history_log") == "0")
    }
    // Whoever writes next takes down what the killed ones have left.
    #expect(try await ProbeProcess("write", shared.path, "ext").ended())
    for reader in ["app", "exporter"] {
      let follower = try ProbeProcess("follow", shared.path, reader)
      try await eventually("\(follower.lines.suffix(2))") {
        try shared.number(
          "SELECT cursor = (SELECT max(seq) FROM history_txn) FROM history_author WHERE name = '\(reader)'") == 1
      }
      try await follower.finish()
      try shared.expectMerged(reader)
    }
    #expect(
      try shared.number("SELECT count(*) FROM message")
        == shared.number("SELECT count(*) FROM history_change WHERE op = 0"))
    #expect(try shared.number("SELECT count(*) FROM history_dead_letter") == 0)
    let bells = try FileManager.default.contentsOfDirectory(atPath: shared.path + "-bells")
    #expect(bells.isEmpty, "\(bells)")
  }

  @Test func `whoever is killed while it cleans leaves no reader a gap`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    for round in 0..<soak(3, 20) {
      let app = try ProbeProcess("follow", shared.path, "app", "--clean")
      let purger = try ProbeProcess("purge", shared.path)
      let writer = try ProbeProcess("write", shared.path, "ext", "--count", "0")
      try await eventually("\(purger.lines)") { purger.numbers("purged").count > round % 4 }
      purger.signal(SIGKILL)
      writer.signal(SIGKILL)
      try await purger.ended()
      try await writer.ended()
      if round % 2 == 0 {
        app.signal(SIGKILL)
        try await app.ended()
      } else {
        try await app.finish()
      }
      #expect(
        try shared.number(
          "SELECT purged_through <= (SELECT cursor FROM history_author WHERE name = 'app') FROM history_store") == 1)
      #expect(try shared.text("PRAGMA integrity_check") == "ok")
    }
    let app = try ProbeProcess("follow", shared.path, "app")
    try await eventually("\(app.lines.suffix(2))") {
      try shared.number(
        """
        SELECT cursor = coalesce((SELECT max(seq) FROM history_txn), (SELECT purged_through FROM history_store))
        FROM history_author WHERE name = 'app'
        """) == 1
    }
    try await app.finish()
    try shared.expectMerged("app")
    #expect(!app.lines.contains("rebuilt"))
  }

  @Test func `quran-ios PR 989: what nobody can read does not stop every launch`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    #expect(try await ProbeProcess("write", shared.path, "ext", "--count", "5").ended())
    // Each launch is ended by the poison; the row is put aside, and the next launch has what follows.
    let first = try ProbeProcess("follow", shared.path, "app", "--fail-at", "3", "--page", "1")
    try await eventually("\(first.lines)") { first.lines.contains { $0.contains("transaction 3 is a dead letter") } }
    first.signal(SIGKILL)
    try await first.ended()
    let next = try ProbeProcess("follow", shared.path, "app", "--fail-at", "3", "--page", "1")
    try await eventually("\(next.lines)") {
      try shared.number("SELECT cursor FROM history_author WHERE name = 'app'") == 5
    }
    try await next.finish()
    #expect(try shared.text("SELECT group_concat(seq) FROM (SELECT seq FROM merged ORDER BY seq)") == "1,2,4,5")
    #expect(try shared.text("SELECT group_concat(seq) FROM history_dead_letter") == "3")
  }

  @Test(arguments: [false, true])
  func `programs that are ended in order while a hook waits put nothing aside`(isClosed: Bool) async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    #expect(try await ProbeProcess("write", shared.path, "ext").ended())
    // More often than any number of crashes that would be borne.
    for _ in 0..<8 {
      let app = try ProbeProcess(["follow", shared.path, "app", "--wait-at", "1"] + (isClosed ? ["--hasty"] : []))
      try await eventually("\(app.lines)") { app.lines.contains("waiting 1") }
      #expect(try shared.number("SELECT tries FROM history_author WHERE name = 'app'") == 1)
      if isClosed {
        try await app.finish()
      } else {
        // It is told to stop, and ended when its patience with the hook is over.
        try app.endInput()
        try await eventually { try shared.number("SELECT tries FROM history_author WHERE name = 'app'") == 0 }
        app.signal(SIGTERM)
        try await app.ended()
      }
    }
    let app = try ProbeProcess("follow", shared.path, "app")
    try await eventually("\(app.lines)") {
      try shared.number("SELECT cursor FROM history_author WHERE name = 'app'") == 1
    }
    try await app.finish()
    #expect(try shared.number("SELECT count(*) FROM history_dead_letter") == 0)
    try shared.expectMerged("app")
  }

  @Test func `quran-ios PR 989: a transaction that ends the process at every launch is put aside`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    #expect(try await ProbeProcess("write", shared.path, "ext", "--count", "3").ended())
    var launches = 0
    while launches < 8, try shared.number("SELECT cursor FROM history_author WHERE name = 'app'") < 3 {
      launches += 1
      let app = try ProbeProcess("follow", shared.path, "app", "--die-at-exactly", "hook:2")
      try await eventually("\(app.lines)") {
        try app.hasEnded || shared.number("SELECT cursor FROM history_author WHERE name = 'app'") == 3
      }
      app.signal(SIGKILL)
      try await app.ended()
    }
    #expect(launches < 8)
    #expect(try shared.text("SELECT group_concat(seq) FROM history_dead_letter") == "2")
  }
}
