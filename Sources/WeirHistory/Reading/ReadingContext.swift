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
  private let log: Statement
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
    store = try connection.prepare(
      """
      SELECT lower(hex(uuid)), epoch, purged_through, purged_nonce, coalesce((SELECT max(seq) FROM history_gap), 0)
      FROM history_store
      """)
    log = try connection.prepare(
      """
      SELECT id, entity, op, key, mask, tombstone, (SELECT name FROM history_author WHERE history_author.id = author),
        process, context, nonce, wall, cause
      FROM history_log WHERE id >= ?1 ORDER BY id
      """)
    schemaNumber = try connection.prepare("PRAGMA schema_version")
    nonce = try connection.prepare("SELECT \(RecordingTables.nonce(of: "?1"))")
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
    /// Positions before this transaction have missed changes; see ``HistoryGap``.
    let gap: Int64
  }

  func state() throws(StoreError) -> StoreState {
    guard try store.step() else { throw StoreError(.corrupt, "history_store of \(connection.path) has no row") }
    defer { store.reset() }
    return StoreState(
      uuid: store.string(0), epoch: store.int64(1), purgedThrough: store.int64(2), purgedNonce: store.int64(3),
      gap: store.int64(4))
  }

  /// The random number of a transaction; nil where it is purged or was never written.
  func nonce(of seq: Int64, _ state: StoreState) throws(StoreError) -> Int64? {
    if seq == 0 { return 0 }
    nonce.bind(seq, at: 1)
    if try nonce.step() {
      defer { nonce.reset() }
      if nonce.type(0) != .null { return nonce.int64(0) }
    }
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

  /// The most changes that are stepped over one by one to leave out a transaction; beyond them the next one is looked up.
  private static let stride = 32

  /// The transactions after `position`, as many as a page holds. Those that `filter` keeps out are scanned and not read.
  mutating func page(
    after position: Int64, filter: AuthorFilter, transactions most: Int, changes mostChanges: Int
  ) throws(StoreError) -> (transactions: [HistoryTransaction], last: Int64, isFull: Bool) {
    // A declaration keeps its number for good, unless the file was restored.
    let schema = try schemaNumber.firstInt64() ?? 0
    if schema != self.schema { (self.schema, entities) = (schema, [:]) }
    var page: [HistoryTransaction] = []
    var last = position
    var (scanned, read, skipped) = (0, 0, 0)
    var isLeftOut = false
    defer { log.reset() }
    log.bind(HistoryNumber.row(of: position + 1), at: 1)
    while try log.step() {
      if log.type(1) == .null {
        if log.type(9) == .null { continue }
        if scanned == most || read >= mostChanges { return (page, last, true) }
        let transaction = transaction()
        scanned += 1
        last = transaction.seq
        isLeftOut = !filter.admits(transaction.author)
        skipped = 0
        if !isLeftOut { page.append(transaction) }
      } else if !isLeftOut, !page.isEmpty {
        page[page.count - 1].changes.append(try change())
        read += 1
      } else {
        skipped += 1
        guard skipped == Self.stride else { continue }
        log.reset()
        log.bind(HistoryNumber.row(of: last + 1), at: 1)
      }
    }
    return (page, last, false)
  }

  /// The transaction whose row the log stands at.
  private func transaction() -> HistoryTransaction {
    HistoryTransaction(
      seq: HistoryNumber.transaction(of: log.int64(0)), author: text(log, 6), process: number(log, 7),
      context: text(log, 8), nonce: log.int64(9), date: Date(timeIntervalSince1970: Double(log.int64(10)) / 1_000),
      cause: number(log, 11), changes: [])
  }

  /// The change whose row the log stands at.
  private mutating func change() throws(StoreError) -> HistoryChange {
    let mask = log.int64(4)
    let entity = try entity(log.int64(1))
    return HistoryChange(
      id: log.int64(0), entity: entity.name, operation: HistoryOperation(rawValue: log.int64(2)) ?? .update,
      key: key(log, 3, entity),
      columns: mask == 0
        ? [] : Set(entity.columns.enumerated().filter { mask & (1 << $0.offset) != 0 }.map(\.element)),
      changesOther: mask & (1 << TrackedTable.mostColumns) != 0, tombstone: tombstone(text(log, 5), entity))
  }

  private func text(_ statement: Statement, _ column: Int32) -> String? {
    statement.type(column) == .null ? nil : statement.string(column)
  }

  private func number(_ statement: Statement, _ column: Int32) -> Int64? {
    statement.type(column) == .null ? nil : statement.int64(column)
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
