import ChatFixtures
import Testing
import WeirStore

@testable import WeirChat

@Suite("A transaction that fails")
struct RollbackTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("leaves nothing behind: other facts, and then the same ones, are stored as if it had not been")
  func fullDatabase() async throws {
    let path = directory.file("a.db")
    let connection = try Connection(path: path)
    try ProjectionSchema.schema.prepare(connection, access: .create)
    let writer = try ProjectionWriter(connection, account: ChatScript.account, historyLimit: 1_000)
    let first = try facts(ChatScript.lines(seed: 1, count: 300))
    let second = try facts(ChatScript.lines(seed: 2, count: 300))
    _ = try writer.apply(Array(first[..<20]))

    let pages = try connection.prepare("PRAGMA page_count").firstInt64() ?? 0
    try connection.execute("PRAGMA max_page_count = \(pages + 4)")
    let revision = try writer.apply([]).revision
    let error = #expect(throws: StoreError.self) { try writer.apply(first) }
    #expect(error?.kind == .diskFull)
    #expect(try writer.apply([]).revision == revision)

    // Other texts and conversations now take the numbers that the lost transaction had given out.
    try connection.execute("PRAGMA max_page_count = 100000")
    for fact in (second + first).reversed() { _ = try writer.apply([fact]) }
    connection.close()

    let store = try await openStore(path)
    try await expectAgreement(store, ModelStore(account: ChatScript.account, facts: first + second))
    let undisturbed = try await openStore(directory.file("b.db"))
    _ = try await undisturbed.apply(first + second)
    #expect(try await store.contentHash().value == undisturbed.contentHash().value)
    try await store.close()
    try await undisturbed.close()
  }
}
