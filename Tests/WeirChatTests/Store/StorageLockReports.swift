import Foundation
import Testing
import WeirStore

@testable import WeirChat

/// Public failure reports about locks (storage spec §F 20 and 22).
@Suite("Failure reports of stores: locks", .timeLimit(.minutes(5)))
struct StorageLockReports {
  private static let patience: Int32 = 400

  private let directory: TemporaryDirectory
  private var path: String { directory.file("locked.db") }

  init() throws { directory = try TemporaryDirectory() }

  private func open() async throws -> SQLiteMessageStore {
    try await .open(
      path: path, account: Make.account, options: .init(busyTimeoutMilliseconds: Self.patience))
  }

  @Test(
    "GRDB.swift 1626, realm-swift 6313: while another process is stopped with the lock in its hands, writing times out with a typed error and reading goes on; when it is continued the same store writes again"
  )
  func stoppedHolder() async throws {
    let store = try await open()
    _ = try await store.apply([Make.message("m", seq: 1)])
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("StoreKillProbe")
    process.arguments = ["hold", path, "0", "0"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    defer { kill(process.processIdentifier, SIGKILL) }
    #expect(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) == "held\n")

    let refused = await #expect(throws: StoreError.self) {
      try await store.apply([Make.message("n", seq: 2), Make.pending("own")])
    }
    #expect(refused?.kind == .busy && refused?.isRetryable == true)
    #expect(try await store.messages(in: Make.group).value.map(\.key.clientMsgID) == ["m"])
    #expect(try await store.totals().revision == 1)

    kill(process.processIdentifier, SIGCONT)
    process.waitUntilExit()
    _ = try await store.apply([Make.message("n", seq: 2), Make.pending("own")])
    #expect(try await store.messages(in: Make.group).value.map(\.key.clientMsgID) == ["n", "m"])
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  @Test(
    "SQLite.swift 786: there is one patience with locks, and nothing that is set up beside it (checkpoints, hooks, time limits of readers) takes it away"
  )
  func onePatience() async throws {
    let store = try await open()
    // More than 8,000 pages in one transaction: the writer folds the log in with a patience of its own. A view of the
    // file has a time limit.
    let text = String(repeating: "x", count: 1 << 20)
    _ = try await store.apply((1...36).map { Make.message("m\($0)", seq: Int64($0), text: text) })
    _ = try await store.messages(in: Make.group)
    let holder = try Connection(path: path, options: ConnectionOptions(access: .readWrite))
    try holder.execute("BEGIN IMMEDIATE")
    for _ in 0..<2 {
      let clock = ContinuousClock()
      let start = clock.now
      let refused = await #expect(throws: StoreError.self) { try await store.apply([Make.message("late", seq: 0)]) }
      #expect(refused?.kind == .busy)
      // A lower bound only: a slow machine waits longer, a lost patience does not wait at all.
      #expect(start.duration(to: clock.now) >= .milliseconds(Int64(Self.patience) / 2))
    }
    try holder.execute("ROLLBACK")
    holder.close()
    _ = try await store.apply([Make.message("late", seq: 20_000)])
    try await store.close()
  }
}
