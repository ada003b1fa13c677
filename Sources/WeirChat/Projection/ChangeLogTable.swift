import WeirStore

/// The durable log of changes, from which a reader that slept or lost hints catches up, and the place in it.
///
/// It keeps about the latest `limit` changes and drops older ones with the transactions that add new ones.
final class ChangeLogTable {
  private let limit: Int64
  private let insert: Statement
  private let trim: Statement
  private let loadMeta: Statement
  private let saveMeta: Statement
  private var savedMeta: Meta?

  init(_ connection: Connection, limit: Int64) throws(StoreError) {
    self.limit = max(limit, 1)
    insert = try connection.prepare(
      "INSERT INTO history(revision, conversation, kinds, messages, subject) VALUES (?1, ?2, ?3, ?4, ?5)")
    trim = try connection.prepare("DELETE FROM history WHERE revision < ?1")
    loadMeta = try connection.prepare(
      "SELECT revision, unread_total, unfetched_total, history_from, account_epoch, expired_upto FROM meta")
    saveMeta = try connection.prepare(
      """
      UPDATE meta SET revision = ?1, unread_total = ?2, unfetched_total = ?3, history_from = ?4, expired_upto = ?5
      """)
  }

  /// Where the store stands at the start of a transaction.
  func meta() throws(StoreError) -> Meta {
    guard try loadMeta.step() else { throw StoreError(.corrupt, "the meta row is gone") }
    defer { loadMeta.reset() }
    let meta = Meta(
      revision: loadMeta.int64(0), unreadTotal: loadMeta.int64(1), unfetchedTotal: loadMeta.int64(2),
      historyFrom: loadMeta.int64(3), epoch: loadMeta.int64(4), expiredUpTo: loadMeta.int64(5))
    savedMeta = meta
    return meta
  }

  /// Adds a change: of messages in a conversation, or (conversation 0) of a list or a task that `subject` names.
  func append(
    revision: Int64, conversation: Int64, kinds: ChangeKinds, rows: [Int64], subject: String = ""
  ) throws(StoreError) {
    insert.bind(revision, at: 1)
    insert.bind(conversation, at: 2)
    insert.bind(kinds.rawValue, at: 3)
    insert.bind(RowNumbers.pack(rows), at: 4)
    insert.bind(subject, at: 5)
    try insert.run()
  }

  /// Writes down where the store stands at the end of a transaction, and trims the log, a good piece at a time.
  func save(_ meta: inout Meta) throws(StoreError) {
    if meta.revision - meta.historyFrom >= limit + max(limit / 4, 256) {
      meta.historyFrom = meta.revision - limit + 1
      trim.bind(meta.historyFrom, at: 1)
      try trim.run()
    }
    guard meta != savedMeta else { return }
    saveMeta.bind(meta.revision, at: 1)
    saveMeta.bind(meta.unreadTotal, at: 2)
    saveMeta.bind(meta.unfetchedTotal, at: 3)
    saveMeta.bind(meta.historyFrom, at: 4)
    saveMeta.bind(meta.expiredUpTo, at: 5)
    try saveMeta.run()
  }
}

/// Row numbers as bytes: seven bits a byte, lowest first, the high bit set on all but the last byte of a number.
enum RowNumbers {
  static func pack(_ numbers: [Int64]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * 3)
    for number in numbers {
      var rest = UInt64(bitPattern: number)
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(truncatingIfNeeded: rest))
    }
    return bytes
  }

  static func unpack(_ bytes: [UInt8]) -> [Int64] {
    var numbers: [Int64] = []
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      number |= UInt64(byte & 0x7f) << shift
      shift += 7
      if byte & 0x80 == 0 {
        numbers.append(Int64(bitPattern: number))
        (number, shift) = (0, 0)
      }
    }
    return numbers
  }
}
