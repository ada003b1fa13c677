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
  private let hash: ContentHash
  private var levels: [(begin: Statement, undo: Statement, end: Statement)] = []
  private var depth = 0
  /// Whether all texts and conversations have had their numbers before any branch, so that none is taken back.
  private var isWarm = false

  init(account: String = ChatScript.account) throws(StoreError) {
    connection = try Connection(path: ":memory:")
    try ProjectionSchema.schema.prepare(connection, access: .create)
    writer = try ProjectionWriter(connection, account: account, historyLimit: 1_000)
    reader = try ProjectionReader(connection, account: account)
    hash = try ContentHash(
      connection: connection, account: account, strings: writer.strings, targets: writer.targets)
  }

  /// Applies facts as one transaction's worth.
  @discardableResult
  func apply(_ facts: [Fact]) throws(StoreError) -> CommitResult {
    try writer.change { (writer) throws(StoreError) in try writer.take(facts) }
  }

  /// Gives every text and conversation of the facts its number for good. Without it each branch has to look them up anew.
  func warm(_ facts: [Fact]) throws {
    var (texts, keys): ([String], [String]) = ([], [])
    try branch {
      try apply(facts)
      for (sql, isKey) in [("SELECT value FROM strings", false), ("SELECT key FROM conversations", true)] {
        let select = try connection.prepare(sql)
        while try select.step() {
          if isKey { keys.append(select.string(0)) } else { texts.append(select.string(0)) }
        }
      }
    }
    for text in texts { _ = try writer.strings.number(text) }
    for key in keys { _ = try writer.conversations.number(key) }
    isWarm = true
  }

  /// Runs `body` and undoes whatever it changed.
  func branch(_ body: () throws -> Void) throws {
    if depth == levels.count {
      levels.append(
        (
          try connection.prepare("SAVEPOINT branch\(depth)"), try connection.prepare("ROLLBACK TO branch\(depth)"),
          try connection.prepare("RELEASE branch\(depth)")
        ))
    }
    let level = levels[depth]
    depth += 1
    try level.begin.run()
    defer {
      depth -= 1
      for statement in [level.undo, level.end] { try? statement.run() }
      writer.conversations.forgetStates()
      if !isWarm {
        writer.forget()
        reader.strings.forget()
        reader.conversationTable.forget()
      }
    }
    try body()
  }

  func contentHash() throws(StoreError) -> Hash128 { try hash.value() }
}

extension MemoryProjection {
  /// The projection holds what the model says, and its counters agree with its rows.
  func expectAgreement(
    _ model: ModelStore, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let audit = try ProjectionAudit.findings(connection)
    #expect(audit.isEmpty, comment, sourceLocation: sourceLocation)
    let listed = try reader.conversations(after: nil, limit: 1_000).map { ModelStore.Conversation($0) }
    #expect(firstDifference(listed, model.conversations) == nil, comment, sourceLocation: sourceLocation)
    #expect(try reader.totalUnread().known == model.totalUnread, comment, sourceLocation: sourceLocation)
    for conversation in listed {
      let shown = try reader.messages(in: conversation.id, .before(nil), limit: 1_000).map { ModelStore.Row($0) }
      #expect(
        firstDifference(shown, model.messages(in: conversation.id)) == nil, comment, sourceLocation: sourceLocation)
      let gaps = try reader.gaps(conversation.id).ranges
      #expect(gaps == model.missing(in: conversation.id), comment, sourceLocation: sourceLocation)
    }
  }
}
