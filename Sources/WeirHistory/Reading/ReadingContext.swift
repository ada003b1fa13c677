import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The statements of the reader, held on its thread.
struct ReadingContext {
  let connection: Connection
  private let headNumber: Statement
  private let store: Statement
  private let transactions: Statement
  private let changes: Statement
  private let nonce: Statement
  private let author: Statement
  private let schemaNumber: Statement
  private var entities: [Int64: Entity] = [:]
  private var schema: Int64 = -1

  /// An entity as the file declares it.
  private struct Entity {
    let name: String
    let keyCount: Int
    let columns: [String]
    let tombstone: [String]
  }

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    headNumber = try connection.prepare("SELECT \(RecordingTables.head)")
    store = try connection.prepare("SELECT lower(hex(uuid)), epoch, purged_through, purged_nonce FROM history_store")
    transactions = try connection.prepare(
      """
      SELECT t.seq, a.name, t.process, t.context, t.nonce, t.wall, t.first, t.cause
      FROM history_txn t LEFT JOIN history_author a ON a.id = t.author
      WHERE t.seq > ?1 ORDER BY t.seq LIMIT ?2
      """)
    changes = try connection.prepare(
      "SELECT id, entity, op, key, mask, tombstone FROM history_change WHERE id >= ?1 AND id < ?2 ORDER BY id")
    schemaNumber = try connection.prepare("PRAGMA schema_version")
    nonce = try connection.prepare("SELECT nonce FROM history_txn WHERE seq = ?1")
    author = try connection.prepare(
      "SELECT role, cursor, cursor_nonce, retired_at FROM history_author WHERE name = ?1")
  }

  /// The number of the last transaction recorded.
  func head() throws(StoreError) -> Int64 { try headNumber.firstInt64() ?? 0 }

  /// What the file says of itself.
  struct StoreState {
    let uuid: String
    let epoch: Int64
    let purgedThrough: Int64
    let purgedNonce: Int64
  }

  func state() throws(StoreError) -> StoreState {
    guard try store.step() else { throw StoreError(.corrupt, "history_store of \(connection.path) has no row") }
    defer { store.reset() }
    return StoreState(
      uuid: store.string(0), epoch: store.int64(1), purgedThrough: store.int64(2), purgedNonce: store.int64(3))
  }

  /// The random number of a transaction; nil where it is purged or was never written.
  func nonce(of seq: Int64, _ state: StoreState) throws(StoreError) -> Int64? {
    if seq == 0 { return 0 }
    nonce.bind(seq, at: 1)
    if let found = try nonce.firstInt64() { return found }
    return seq == state.purgedThrough ? state.purgedNonce : nil
  }

  /// The position of an author as its row says.
  struct Position {
    let role: Int64
    let cursor: Int64?
    let nonce: Int64?
    let isRetired: Bool
  }

  func position(of name: String) throws(StoreError) -> Position? {
    author.bind(name, at: 1)
    guard try author.step() else { return nil }
    defer { author.reset() }
    return Position(
      role: author.int64(0), cursor: author.type(1) == .null ? nil : author.int64(1),
      nonce: author.type(2) == .null ? nil : author.int64(2), isRetired: author.type(3) != .null)
  }

  /// The transactions after `position`, as many as a page holds. Those that `filter` keeps out are scanned and not read.
  mutating func page(
    after position: Int64, filter: AuthorFilter, transactions most: Int, changes mostChanges: Int
  ) throws(StoreError) -> (transactions: [HistoryTransaction], last: Int64, isFull: Bool) {
    // A declaration keeps its number for good, unless the file was restored.
    let schema = try schemaNumber.firstInt64() ?? 0
    if schema != self.schema { (self.schema, entities) = (schema, [:]) }
    var rows: [(transaction: HistoryTransaction, first: Int64)] = []
    transactions.bind(position, at: 1)
    transactions.bind(Int64(most) + 1, at: 2)
    while try transactions.step() {
      rows.append(
        (
          HistoryTransaction(
            seq: transactions.int64(0), author: text(transactions, 1), process: number(transactions, 2),
            context: text(transactions, 3), nonce: transactions.int64(4),
            date: Date(timeIntervalSince1970: Double(transactions.int64(5)) / 1_000), cause: number(transactions, 7),
            changes: []), transactions.int64(6)
        ))
    }
    var page: [HistoryTransaction] = []
    var last = position
    var read = 0
    for (index, row) in rows.prefix(most).enumerated() {
      last = row.transaction.seq
      guard filter.admits(row.transaction.author) else { continue }
      var transaction = row.transaction
      let end = index + 1 < rows.count ? rows[index + 1].first : Int64.max
      transaction.changes = try changes(from: row.first, to: end)
      read += transaction.changes.count
      page.append(transaction)
      if read >= mostChanges { return (page, last, index + 1 < rows.count) }
    }
    return (page, last, rows.count > most)
  }

  private func text(_ statement: Statement, _ column: Int32) -> String? {
    statement.type(column) == .null ? nil : statement.string(column)
  }

  private func number(_ statement: Statement, _ column: Int32) -> Int64? {
    statement.type(column) == .null ? nil : statement.int64(column)
  }

  private mutating func changes(from first: Int64, to end: Int64) throws(StoreError) -> [HistoryChange] {
    var result: [HistoryChange] = []
    changes.bind(first, at: 1)
    changes.bind(end, at: 2)
    while try changes.step() {
      let number = changes.int64(1)
      let mask = changes.int64(4)
      let entity = try entity(number)
      result.append(
        HistoryChange(
          id: changes.int64(0), entity: entity.name,
          operation: HistoryOperation(rawValue: changes.int64(2)) ?? .update, key: key(changes, 3, entity),
          columns: mask == 0
            ? [] : Set(entity.columns.enumerated().filter { mask & (1 << $0.offset) != 0 }.map(\.element)),
          changesOther: mask & (1 << TrackedTable.mostColumns) != 0, tombstone: tombstone(text(changes, 5), entity)))
    }
    return result
  }

  private func key(_ statement: Statement, _ column: Int32, _ entity: Entity) -> [HistoryValue] {
    let value = HistoryValue(statement, column)
    guard entity.keyCount > 1, case .text(let list) = value else { return [value] }
    return HistoryValue.list(list) ?? [value]
  }

  private func tombstone(_ text: String?, _ entity: Entity) -> [String: HistoryValue] {
    guard let text, let values = HistoryValue.list(text) else { return [:] }
    return Dictionary(zip(entity.tombstone, values)) { first, _ in first }
  }

  /// The declaration of that number.
  private mutating func entity(_ number: Int64) throws(StoreError) -> Entity {
    if let known = entities[number] { return known }
    let statement = try connection.prepare("SELECT id, name, keys, columns, tombstone FROM history_entity")
    while try statement.step() {
      entities[statement.int64(0)] = Entity(
        name: statement.string(1), keyCount: RecordingInstaller.names(statement.string(2)).count,
        columns: RecordingInstaller.names(statement.string(3)),
        tombstone: RecordingInstaller.names(statement.string(4)))
    }
    return entities[number] ?? Entity(name: "entity \(number)", keyCount: 1, columns: [], tombstone: [])
  }
}
