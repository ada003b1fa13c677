import CSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One connection to one SQLite file, confined to the thread that made it.
///
/// It is opened without SQLite's own mutex and is deliberately not `Sendable`, so the compiler keeps it in its thread;
/// `WriterThread` gives it one. All write transactions begin IMMEDIATE, because SQLite does not honour the busy timeout
/// when a read transaction turns into a write (storage spec E1).
public final class Connection {
  /// The path the connection was opened with.
  public let path: String
  private let options: ConnectionOptions
  private var durability: Durability
  private var handle: OpaquePointer?
  /// The file that was opened for writing; nil for what is no file.
  private var opened: FileStanding?
  /// The write-ahead log under its name, from the first transaction on that has one.
  private var log: (path: String, standing: FileStanding)?
  /// Where the log hook (which needs a stable address) leaves the number of pages in the write-ahead log.
  private let walPagesCell = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  /// When the view in use must end, in nanoseconds, for the progress handler.
  private let deadlineCell = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
  /// Whether statements that begin or end a transaction are refused, for the authorizer; nil while none is installed.
  private var refusesCell: UnsafeMutablePointer<Bool>?
  private var begin: Statement?
  private var commit: Statement?
  private var beginView: Statement?
  private var endView: Statement?
  private var cache: [String: Statement] = [:]

  /// Opens the file. Nothing in it is read or changed yet; see `Schema.prepare`.
  ///
  /// - Throws: `StoreError` of kind `cannotOpen`, `diskFull`, `io` or `readOnly`.
  public init(path: String, options: ConnectionOptions = ConnectionOptions()) throws(StoreError) {
    self.path = path
    self.options = options
    durability = options.durability
    walPagesCell.initialize(to: 0)
    deadlineCell.initialize(to: .max)
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.cannotOpen, "the path is empty or holds a zero byte")
    }
    let access: Int32 =
      switch options.access {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly, .observe: SQLITE_OPEN_READONLY
      }
    let observation = options.access == .observe ? FileObservation(path: path) : nil
    let result = sqlite3_open_v2(
      observation?.name(of: path) ?? path, &handle,
      access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (observation?.isURI == true ? SQLITE_OPEN_URI : 0),
      observation?.vfs)
    guard result == SQLITE_OK else { throw failure(result, "cannot open \(path)") }
    sqlite3_busy_timeout(handle, options.busyTimeoutMilliseconds)
    if options.access.writes { opened = FileStanding(path: path) }
    // Closing must not fold a log into a file before it is known to be the file's own; see `configure`.
    _ = weir_checkpoint_on_close(handle, 0)
    if let preparation = observation?.preparation { try execute(preparation) }
  }

  deinit {
    close()
    walPagesCell.deallocate()
    deadlineCell.deallocate()
    refusesCell?.deallocate()
  }

  /// Closes the file. Statements still held stay safe to release. Closing twice is harmless.
  public func close() {
    (begin, commit, beginView, endView) = (nil, nil, nil, nil)
    cache = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Sets the connection up (storage spec A5). Comes after the file is known to be ours, since it changes the header.
  ///
  /// - Throws: `StoreError` as SQLite reports it.
  public func configure() throws(StoreError) {
    if options.access.writes {
      _ = weir_checkpoint_on_close(handle, 1)
      // Of a new file; others keep theirs.
      try execute("PRAGMA page_size = \(ConnectionOptions.pageSize)")
      try execute("PRAGMA journal_mode = WAL")
      try execute("PRAGMA synchronous = \(options.durability.rawValue)")
      try execute("PRAGMA wal_autocheckpoint = 0")
      try execute("PRAGMA secure_delete = OFF")
      // After the pragma above, which takes the hook away: SQLite has one, and autocheckpoint is built on it.
      installLogHook()
    }
    try execute("PRAGMA cache_size = -\(max(options.cacheKibibytes, 64))")
    try execute("PRAGMA temp_store = MEMORY")
    if options.quickCheck {
      let answer = try prepare("PRAGMA quick_check(1)").firstString() ?? ""
      guard answer == "ok" else { throw StoreError(.corrupt, "quick_check of \(path) says: \(answer)") }
    }
  }

  /// Runs statements that need no parameters and return nothing of interest.
  ///
  /// - Throws: `StoreError` as SQLite reports it.
  public func execute(_ sql: String) throws(StoreError) {
    guard let handle else { throw StoreError(.closed, "the connection to \(path) is closed") }
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw failure(result, "cannot run \"\(sql.prefix(80))\"") }
  }

  /// Compiles one statement, to be held and run many times.
  ///
  /// - Throws: `StoreError` as SQLite reports it.
  public func prepare(_ sql: String) throws(StoreError) -> Statement {
    guard let handle else { throw StoreError(.closed, "the connection to \(path) is closed") }
    var pointer: OpaquePointer?
    let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard result == SQLITE_OK, let pointer else { throw failure(result, "cannot compile \"\(sql.prefix(80))\"") }
    return Statement(pointer)
  }

  /// The most statements that are kept by ``cached(_:)``.
  private static let mostCached = 64

  /// A statement of these words, compiled at the first call and kept: for code that cannot hold one itself. It is reset, and
  /// what was bound stays until it is bound anew. One at a time: two of the same words would be one.
  ///
  /// - Throws: as ``prepare(_:)``.
  public func cached(_ sql: String) throws(StoreError) -> Statement {
    if let known = cache[sql] {
      known.reset()
      return known
    }
    let statement = try prepare(sql)
    if cache.count >= Self.mostCached { cache = [:] }
    cache[sql] = statement
    return statement
  }

  /// Sets how far the following commits reach. Not inside a transaction.
  ///
  /// - Throws: `StoreError` as SQLite reports it.
  public func setDurability(_ durability: Durability) throws(StoreError) {
    if durability == self.durability { return }
    try execute("PRAGMA synchronous = \(durability.rawValue)")
    self.durability = durability
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Runs `body` inside one write transaction: commits when it returns, rolls back when it or the COMMIT throws.
  ///
  /// - Throws: what `body` throws, or the failure of BEGIN or COMMIT. Either way nothing of the transaction stays.
  public func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    let begin = try held(&begin, "BEGIN IMMEDIATE")
    let commit = try held(&commit, "COMMIT")
    try begin.run()
    do {
      let result = try body()
      try demandFile()
      try commit.run()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Runs `body` inside the open transaction and refuses it every statement that would begin or end one, so that what belongs
  /// together stays together.
  ///
  /// - Throws: what `body` throws; statements that are refused fail with `invalidInput`.
  public func keepingTransaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    let refuses = refusesCell ?? installRefusal()
    refuses.pointee = true
    defer { refuses.pointee = false }
    return try body()
  }

  private func installRefusal() -> UnsafeMutablePointer<Bool> {
    let cell = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    cell.initialize(to: false)
    refusesCell = cell
    sqlite3_set_authorizer(
      handle,
      { cell, action, _, _, _, _ in
        let refuses = cell?.assumingMemoryBound(to: Bool.self).pointee ?? false
        return refuses && action == SQLITE_TRANSACTION ? SQLITE_DENY : SQLITE_OK
      }, cell)
    return cell
  }

  /// SQLite writes on into a file or a log that was deleted or replaced. What is committed to such a file is gone when it is
  /// closed; what is committed to such a log nobody else sees, and a crash loses it.
  private func demandFile() throws(StoreError) {
    guard let opened else { return }
    guard let now = FileStanding(path: path), now.device == opened.device, now.number == opened.number else {
      throw StoreError(.fileGone, "\(path) was moved away, deleted or replaced while it was open")
    }
    guard let log else {
      self.log = weir_log_path(handle).map { String(cString: $0) }.flatMap { path in
        FileStanding(path: path).map { (path, $0) }
      }
      return
    }
    if let now = FileStanding(path: log.path), now.device == log.standing.device, now.number == log.standing.number {
      return
    }
    // Who leaves WAL mode has no log any more.
    guard try prepare("PRAGMA journal_mode").firstString() != "wal" else {
      throw StoreError(.fileGone, "\(log.path) was moved away, deleted or replaced while it was open")
    }
    self.log = nil
  }

  /// Runs `body` inside one read transaction, so that all its reads see one state of the file.
  ///
  /// A view that is held for long keeps the log from being folded into the file (storage spec E3), so `limit` ends it:
  /// statements that run past it fail with `timedOut`.
  ///
  /// - Parameter limit: milliseconds; nil for none.
  /// - Throws: what `body` throws, or the failure of BEGIN.
  public func snapshot<Result>(
    limit: Int64? = nil, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let view = try held(&beginView, "BEGIN")
    let end = try held(&endView, "ROLLBACK")
    try view.run()
    if let limit { setDeadline(limit) }
    defer {
      if limit != nil { sqlite3_progress_handler(handle, 0, nil, nil) }
      // It cannot fail in a way that matters: nothing was written, and an open view is gone with its transaction.
      if isInTransaction { try? end.run() }
    }
    return try body()
  }

  private func setDeadline(_ milliseconds: Int64) {
    deadlineCell.pointee = Self.now() &+ milliseconds &* 1_000_000
    // About every 100 microseconds of work.
    sqlite3_progress_handler(
      handle, 10_000,
      { cell in
        let deadline = cell?.assumingMemoryBound(to: Int64.self).pointee ?? .max
        return Connection.now() > deadline ? 1 : 0
      }, deadlineCell)
  }

  /// Nanoseconds of a clock that never runs back.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The number of rows the latest INSERT, UPDATE or DELETE changed.
  public var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// The row id of the latest successful INSERT.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Pages in the write-ahead log after the latest commit of this connection.
  public var walPages: Int32 { walPagesCell.pointee }

  /// How a checkpoint behaves towards readers.
  public enum CheckpointMode: Sendable {
    /// Moves what it can without waiting for anybody.
    case passive
    /// Moves everything and waits a moment for readers to leave the log, so that the next commit starts it anew.
    case full
    /// The same, and waits for longer than a reader may hold its view.
    case insistent
    /// Moves everything, waits for readers up to the busy timeout, and empties the log.
    case truncate
  }

  /// How long a checkpoint waits for readers, in milliseconds: a reader that stays must not stop the writer.
  private static let (checkpointPatience, insistentPatience): (Int32, Int32) = (50, 2_500)

  /// Folds the write-ahead log into the file. Only the writing connection may call it: a checkpoint that races a
  /// commit of another connection can lose frames in the SQLite versions named by `SQLiteLibrary` (storage spec E7).
  ///
  /// - Returns: whether all of the log is in the file, and so on the disk. Readers of an older state keep it from that.
  /// - Throws: `StoreError`; the log stays valid and readable in every case.
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode) throws(StoreError) -> Bool {
    let flag =
      switch mode {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      // FULL alone would leave readers in the log, and with any of them the next commit makes it longer.
      case .full, .insistent: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    let patience: Int32? =
      switch mode {
      case .passive, .truncate: nil
      case .full: Self.checkpointPatience
      case .insistent: Self.insistentPatience
      }
    if let patience { sqlite3_busy_timeout(handle, patience) }
    defer { if patience != nil { sqlite3_busy_timeout(handle, options.busyTimeoutMilliseconds) } }
    var (frames, moved): (Int32, Int32) = (-1, -1)
    let result = sqlite3_wal_checkpoint_v2(handle, nil, flag, &frames, &moved)
    // One that gives up on readers has done what a passive one does.
    if patience != nil, result & 0xff == SQLITE_BUSY { return false }
    guard result == SQLITE_OK else { throw failure(result, "cannot checkpoint \(path)") }
    return frames >= 0 && frames == moved
  }

  private func held(_ statement: inout Statement?, _ sql: String) throws(StoreError) -> Statement {
    if let statement { return statement }
    let prepared = try prepare(sql)
    statement = prepared
    return prepared
  }

  /// After a full disk or an I/O failure SQLite has often rolled back by itself; a second ROLLBACK would only fail.
  private func rollback() {
    guard let handle, sqlite3_get_autocommit(handle) == 0 else { return }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  private func installLogHook() {
    sqlite3_wal_hook(
      handle,
      { cell, _, _, pages in
        cell?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, walPagesCell)
  }

  private func failure(_ result: Int32, _ doing: String) -> StoreError {
    StoreError(result, of: handle, doing: doing)
  }
}
