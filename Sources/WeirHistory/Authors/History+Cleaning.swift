import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a cleaning keeps of what it might take. Nothing is ever taken that a live reader has not read.
public struct HistoryKeeping: Sendable, Hashable {
  /// Transactions younger than this, by the clock on the wall; nil keeps none for its age. A stamp of the future counts as that
  /// of the next transaction that has none.
  public var age: Duration?
  /// So many of the newest transactions.
  public var count: Int
  /// Transactions written at or after this moment; nil keeps none.
  public var since: Date?

  /// Keeps what is asked for; by default nothing that all have read.
  public init(age: Duration? = nil, count: Int = 0, since: Date? = nil) {
    self.age = age
    self.count = max(count, 0)
    self.since = since
  }
}

/// What holds a cleaning back.
public enum HistoryHold: Sendable, Hashable {
  /// Nobody reads the history: what is not read cannot be told from what is not yet read.
  case noReader
  /// This reader has read no further.
  case reader(String)
  /// This pin stands there.
  case pin(String)
  /// This reader has given up on what comes next, which is kept for a replay.
  case deadLetter(author: String, seq: Int64)
  /// What is kept for its age or number begins there.
  case keeping
  /// Nothing: all is read by all.
  case nothing
}

/// What a cleaning did, or would do.
public struct HistoryCleaning: Sendable, Hashable {
  /// Transactions deleted.
  public let transactions: Int
  /// The history is purged up to this transaction.
  public let purgedThrough: Int64
  /// The last transaction that may go now.
  public let limit: Int64
  /// What keeps the next one.
  public let heldBack: HistoryHold
  /// Whether more may go: one call takes a bounded number.
  public let isComplete: Bool
}

extension History {
  /// The most transactions that one write transaction deletes.
  static var slice: Int64 { 1_000 }

  /// Deletes what all live readers have read and nothing keeps, a thousand transactions of the history at a time, each slice
  /// in a write transaction of its own.
  ///
  /// Automatic and manual cleaning are this one function. Positions change only under the same lock and never go back,
  /// so what is at or below the lowest of them was read by every reader; see the decision note.
  ///
  /// - Throws: ``HistoryError`` of kind `store`.
  @discardableResult
  public func clean(keeping: HistoryKeeping = HistoryKeeping()) async throws(HistoryError) -> HistoryCleaning {
    var deleted = 0
    while true {
      let part = try await commit { (recording) throws(StoreError) in
        try Cleaner(recording.connection).clean(keeping, slice: Self.slice)
      }
      deleted += part.transactions
      if part.isComplete || Task.isCancelled {
        return HistoryCleaning(
          transactions: deleted, purgedThrough: part.purgedThrough, limit: part.limit, heldBack: part.heldBack,
          isComplete: part.isComplete)
      }
    }
  }

  /// What ``clean(keeping:)`` would delete now, and who holds back the rest.
  public func forecastCleaning(keeping: HistoryKeeping = HistoryKeeping()) async throws(HistoryError) -> HistoryCleaning
  {
    try await read { (context) throws(StoreError) in
      try context.connection.snapshot { () throws(StoreError) in try Cleaner(context.connection).forecast(keeping) }
    }
  }

  /// Keeps everything after `seq` until the pin is taken away, whoever reads it: an export that takes days, a snapshot.
  ///
  /// - Throws: ``HistoryError`` of kind `expired` where some of that is purged, `badDeclaration` for a negative number, or `store`.
  public func pin(_ name: String, after seq: Int64) async throws(HistoryError) {
    guard seq >= 0 else {
      throw HistoryError(.badDeclaration, "transactions begin with 1, so none can be kept after \(seq); 0 keeps all")
    }
    let purged = try await commit { (recording) throws(StoreError) -> Int64? in
      let purged = try recording.connection.prepare("SELECT purged_through FROM history_store").firstInt64() ?? 0
      if seq < purged { return purged }
      let pin = try recording.connection.prepare(
        "INSERT INTO history_pin VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET seq = ?2")
      pin.bind(name, at: 1)
      pin.bind(seq, at: 2)
      try pin.run()
      return nil
    }
    if let purged { throw HistoryError(.expired, "the history is purged up to \(purged) already") }
  }

  /// Takes a pin away; one that is not there is no fault.
  public func unpin(_ name: String) async throws(HistoryError) {
    try await commit { (recording) throws(StoreError) in
      let unpin = try recording.connection.prepare("DELETE FROM history_pin WHERE name = ?1")
      unpin.bind(name, at: 1)
      try unpin.run()
    }
  }
}

/// The one function that deletes history.
struct Cleaner {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// What may go and what stops it.
  private struct Bound {
    let limit: Int64
    let hold: HistoryHold
  }

  func forecast(_ keeping: HistoryKeeping) throws(StoreError) -> HistoryCleaning {
    let bound = try bound(keeping)
    let purged = try number("SELECT purged_through FROM history_store")
    let count = max(0, bound.limit - purged)
    return HistoryCleaning(
      transactions: Int(clamping: count), purgedThrough: purged, limit: bound.limit, heldBack: bound.hold,
      isComplete: count == 0)
  }

  /// Deletes one slice. Inside a write transaction.
  func clean(_ keeping: HistoryKeeping, slice: Int64) throws(StoreError) -> HistoryCleaning {
    let bound = try bound(keeping)
    let purged = try number("SELECT purged_through FROM history_store")
    let last = min(bound.limit, purged + slice)
    guard last > purged else {
      return HistoryCleaning(
        transactions: 0, purgedThrough: purged, limit: bound.limit, heldBack: bound.hold, isComplete: true)
    }
    let nonce = try number("SELECT \(RecordingTables.nonce(of: "\(last)"))")
    try connection.execute("DELETE FROM history_log WHERE id < \(HistoryNumber.row(of: last + 1))")
    // Numbers have no holes.
    let deleted = Int(last - purged)
    try connection.execute("UPDATE history_store SET purged_through = \(last), purged_nonce = \(nonce)")
    try connection.execute("DELETE FROM history_gap WHERE seq <= \(last)")
    return HistoryCleaning(
      transactions: deleted, purgedThrough: last, limit: bound.limit, heldBack: bound.hold,
      isComplete: Int64(deleted) < slice || last >= bound.limit)
  }

  private func bound(_ keeping: HistoryKeeping) throws(StoreError) -> Bound {
    let head = try number("SELECT \(RecordingTables.head)")
    let purged = try number("SELECT purged_through FROM history_store")
    var bound = Bound(limit: head, hold: .nothing)
    let readers = try connection.prepare(
      """
      SELECT name, coalesce(cursor, -1) FROM history_author
      WHERE role <> \(HistoryRole.writeOnly.rawValue) AND retired_at IS NULL ORDER BY cursor, name
      """)
    var isRead = false
    while try readers.step() {
      isRead = true
      let cursor = readers.int64(1)
      if cursor < bound.limit { bound = Bound(limit: cursor, hold: .reader(readers.string(0))) }
    }
    guard isRead else { return Bound(limit: 0, hold: .noReader) }
    let pins = try connection.prepare("SELECT name, seq FROM history_pin ORDER BY seq, name")
    while try pins.step() {
      if pins.int64(1) < bound.limit { bound = Bound(limit: pins.int64(1), hold: .pin(pins.string(0))) }
    }
    // What a hook rejected was decided of, and is not kept: rejecting may be a habit.
    let letters = try connection.prepare(
      """
      SELECT a.name, d.seq FROM history_dead_letter d JOIN history_author a ON a.id = d.author
      WHERE d.attempts > 0 AND d.seq > \(purged) AND a.retired_at IS NULL ORDER BY d.seq, a.name LIMIT 1
      """)
    while try letters.step() {
      let seq = letters.int64(1)
      if seq <= bound.limit {
        bound = Bound(limit: seq - 1, hold: .deadLetter(author: letters.string(0), seq: seq))
      }
    }
    // The first to be kept: by number, then by age. Clocks step back, so the age of a transaction is that of the oldest
    // from it on.
    if keeping.count > 0 {
      let oldest = max(head - Int64(keeping.count), purged) + 1
      if oldest <= bound.limit { bound = Bound(limit: oldest - 1, hold: .keeping) }
    }
    if let wall = wall(keeping), let oldest = try oldest(since: wall), oldest <= bound.limit {
      bound = Bound(limit: oldest - 1, hold: .keeping)
    }
    return bound
  }

  /// The first transaction that is young.
  ///
  /// A stamp of the future (a clock was ahead when it was written, or ours is behind now) says nothing, and stands for that of
  /// the next transaction whose stamp is none: so what was written with a wrong clock goes as soon as what follows it has aged,
  /// and not before. Where nothing follows it is young.
  private func oldest(since wall: Int64) throws(StoreError) -> Int64? {
    let now = Date().milliseconds
    let young = try connection.prepare(
      "SELECT id FROM history_log WHERE wall BETWEEN \(wall) AND \(now) ORDER BY id LIMIT 1"
    ).firstInt64()
    // Right behind the last one before it that is old.
    let old = try connection.prepare(
      "SELECT id >> \(HistoryNumber.bits) FROM history_log WHERE wall <= \(now) AND id < \(young ?? .max) ORDER BY id DESC LIMIT 1"
    ).firstInt64()
    let head = try number("SELECT \(RecordingTables.head)")
    let purged = try number("SELECT purged_through FROM history_store")
    let first = (old ?? purged) + 1
    return first <= head ? first : nil
  }

  /// The moment from which on transactions are kept, in milliseconds since 1970.
  private func wall(_ keeping: HistoryKeeping) -> Int64? {
    let byAge = keeping.age.map { Date(timeIntervalSinceNow: -Double($0.milliseconds) / 1_000).milliseconds }
    let moments = [byAge, keeping.since?.milliseconds].compactMap { $0 }
    return moments.min()
  }

  private func number(_ sql: String) throws(StoreError) -> Int64 { try connection.prepare(sql).firstInt64() ?? 0 }
}
