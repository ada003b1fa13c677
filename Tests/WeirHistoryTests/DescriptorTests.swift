import Foundation
import Testing
import WeirStore

@testable import WeirHistory

/// Nobody but SQLite opens the files of a store: to close a descriptor of one takes SQLite's locks away from the whole
/// process.
@Suite(.serialized, .timeLimit(.minutes(15))) struct DescriptorTests {
  private static let strace = ["/usr/bin/strace", "/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Runs a reader through start, foreign and own commits, cleaning and end, under strace.
  private func trace(_ shared: SharedStore, _ tool: [String]) async throws -> Bool {
    try await shared.prepare("app")
    let app = try ProbeProcess(["follow", shared.path, "app", "--clean", "--period", "20"], under: tool)
    try await eventually("\(app.lines)") { !app.lines.isEmpty || app.hasEnded }
    guard app.lines.first?.hasPrefix("ready") == true else { return false }
    #expect(try await ProbeProcess("write", shared.path, "ext", "--count", "20", "--rows", "50").ended())
    let raw = try ProbeProcess("raw", shared.path)
    try await raw.ready()
    try raw.tell("DELETE FROM message")
    try await raw.finish()
    try await eventually("\(app.lines.suffix(2))") { app.numbers("merged").last == 1_020 }
    try await app.finish()
    return true
  }

  @Test func `honker PR 96, hermes-agent PR 71724, mempalace 2471: only SQLite opens the database and its log`()
    async throws
  {
    // Where strace is not there, or may not trace, the test of the locks below stands alone.
    guard let strace = Self.strace else { return }
    let shared = try SharedStore()
    defer { shared.keep() }
    let file = shared.folder + "/trace.txt"
    let traced = "trace=open,openat,openat2,creat,link,rename,unlink,truncate"
    guard try await trace(shared, [strace, "-f", "-k", "-e", traced, "-o", file]) else { return }
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    let names = ["", "-wal", "-shm", "-journal"].map { "\"\(shared.path)\($0)\"" }
    var calls: [(call: Substring, stack: [Substring])] = []
    // A call that another thread's has cut in two has its stack behind the second part.
    var unfinished: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      if line.hasPrefix(" >") {
        if let last = calls.indices.last { calls[last].stack.append(line) }
        continue
      }
      let process = line.prefix { $0 != " " }
      if line.hasSuffix("<unfinished ...>") {
        unfinished[process] = line
      } else {
        calls.append((line.contains("resumed>") ? unfinished[process] ?? line : line, []))
      }
    }
    let opens = calls.filter { call in names.contains { call.call.contains($0) } }
    for (call, stack) in opens { #expect(stack.contains { $0.contains("libsqlite3") }, "\(call)") }
    // The writer, the reader, the watcher's look, and their logs.
    #expect(opens.count >= 6)
  }

  @Test func `the locks of a transaction survive all that a history does beside it`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    let history = try await shared.open()
    try await history.register("app")
    let rival = try ProbeProcess("raw", shared.path)
    try await rival.ready()
    try rival.tell("PRAGMA busy_timeout = 0")
    try await eventually { rival.lines.last == "done" }
    // A transaction of this process holds the lock, and meanwhile other histories of the file are opened, wake up, read,
    // and are closed in it.
    let holder = try Connection(path: shared.path, options: ConnectionOptions(access: .readWrite))
    try holder.execute("BEGIN IMMEDIATE; INSERT INTO message (client, sender) VALUES ('held', 'x')")
    for _ in 0..<3 {
      for way in [HistoryOptions(), HistoryOptions(wake: WakeOptions(idlePeriod: .milliseconds(1)))] {
        let reader = try Connection(path: shared.path, options: .reader)
        #expect(try reader.prepare("SELECT count(*) FROM message").firstInt64() == 0)
        reader.close()
        _ = try await history.now()
        _ = try await history.page(after: history.now(), from: .everybody)
        try await watchAndLeave(shared.path, way.wake)
      }
      let before = rival.lines.count
      try rival.tell("INSERT INTO message (client, sender) VALUES ('rival', 'x')")
      try await eventually { rival.lines.count > before }
      #expect(rival.lines.last?.hasPrefix("refused") == true, "\(rival.lines)")
    }
    try holder.execute("COMMIT")
    holder.close()
    try rival.tell("INSERT INTO message (client, sender) VALUES ('rival', 'x')")
    try await eventually { rival.lines.last == "done" }
    try await rival.finish()
    #expect(try shared.text("SELECT group_concat(client) FROM message") == "held,rival")
    #expect(try shared.text("PRAGMA integrity_check") == "ok")
    await history.close()
  }

  /// What a history has beside its connections, made and taken down.
  private func watchAndLeave(_ path: String, _ options: WakeOptions) async throws {
    let head = HeadMonitor()
    let watcher = WakeThread(
      database: path, options: options, bell: Doorbell(besideDatabase: path), head: head)
    try await eventually { head.head >= 0 }
    watcher.stop()
  }
}
