import ChatFixtures
import Testing
import WeirStore

@testable import WeirChat

/// The store's writer and reader on one database in memory: the same statements on the same tables, without files and
/// threads, so that a test can afford a hundred thousand orders. `branch` tries something and takes it back.
final class MemoryProjection {
  let connection: Connection
  let writer: ProjectionWriter
  let reader: ProjectionReader
  private var depth = 0

  init(account: String = ChatScript.account) throws(StoreError) {
    connection = try Connection(path: ":memory:")
    try ProjectionSchema.schema.prepare(connection, access: .create)
    writer = try ProjectionWriter(connection, account: account, historyLimit: 1_000)
    reader = try ProjectionReader(connection, account: account)
  }

  /// Applies facts as one transaction's worth.
  @discardableResult
  func apply(_ facts: [Fact]) throws(StoreError) -> CommitResult {
    try writer.change { (writer) throws(StoreError) in try writer.take(facts, nil) }
  }

  /// Runs `body` and undoes whatever it changed.
  func branch(_ body: () throws -> Void) throws {
    depth += 1
    defer { depth -= 1 }
    try connection.execute("SAVEPOINT branch\(depth)")
    defer {
      try? connection.execute("ROLLBACK TO branch\(depth); RELEASE branch\(depth)")
      writer.forget()
      reader.strings.forget()
      reader.conversationTable.forget()
    }
    try body()
  }

  func contentHash() throws(StoreError) -> Hash128 {
    var hash = ContentHash(
      connection: connection, account: writer.account, strings: writer.strings, targets: writer.targets)
    return try hash.value()
  }
}

extension MemoryProjection {
  /// The projection holds what the model says, and its counters agree with its rows.
  func expectAgreement(
    _ model: ModelStore, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let audit = try ProjectionAudit.findings(connection)
    #expect(audit.isEmpty, comment, sourceLocation: sourceLocation)
    let listed = try reader.conversations(after: nil, limit: 1_000).map { ModelStore.Conversation($0) }
    #expect(listed == model.conversations, comment, sourceLocation: sourceLocation)
    #expect(try reader.totalUnread().known == model.totalUnread, comment, sourceLocation: sourceLocation)
    for conversation in listed {
      let shown = try reader.messages(in: conversation.id, .before(nil), limit: 1_000).map { ModelStore.Row($0) }
      #expect(shown == model.messages(in: conversation.id), comment, sourceLocation: sourceLocation)
      let gaps = try reader.gaps(conversation.id).ranges
      #expect(gaps == model.missing(in: conversation.id), comment, sourceLocation: sourceLocation)
    }
  }
}
