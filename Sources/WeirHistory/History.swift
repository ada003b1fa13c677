import Synchronization
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The recorded history of one SQLite file: what changed, in which transaction, by whom.
///
/// Any number of processes may have it open, each with its own writer; an advisory lock beside the file lets one write at a
/// time. What raw clients write is recorded as well, by triggers. Readers keep a position (a cursor) in the same file, or
/// a ``HistoryToken`` elsewhere.
///
/// Memory: two connections with their page caches, and one closure per waiting caller.
public final class History: Sendable {
  /// The file.
  public let path: String
  /// What was given when it was opened.
  public let options: HistoryOptions
  /// What the opening has found that somebody should know of, and that is no failure.
  public let notices: [HistoryNotice]
  let writer: WriterThread<RecordingContext>
  let reader: WriterThread<ReadingContext>
  let head: HeadMonitor
  private let watcher: WakeThread
  /// Authors for whom it was noted here that something is under way; see ``CrashGuard``.
  let underWay = Mutex<Set<String>>([])
  /// The file that was opened.
  private let standing: FileStanding?

  private init(
    path: String, options: HistoryOptions, notices: [HistoryNotice], writer: WriterThread<RecordingContext>,
    reader: WriterThread<ReadingContext>, head: HeadMonitor, watcher: WakeThread
  ) {
    self.path = path
    self.options = options
    self.notices = notices
    self.writer = writer
    self.reader = reader
    self.head = head
    self.watcher = watcher
    standing = FileStanding(path: path)
  }

  /// SQLite reads on from a file that was deleted or replaced, and nobody writes to that one any more.
  func demandFile() throws(HistoryError) {
    let now = FileStanding(path: path)
    guard let now, let standing, now.device == standing.device, now.number == standing.number else {
      throw HistoryError(StoreError(.fileGone, "\(path) was moved away, deleted or replaced; open the history anew"))
    }
  }

  /// Opens the file and makes it record `tables` from now on. What other programs have declared stays: of one table the
  /// columns that either wants to be told are told, and a deletion keeps what the latest declares.
  ///
  /// - Parameters:
  ///   - path: the file, on a local file system: the write-ahead log does not work across a network. Links are followed, so
  ///     that every process has its lock and its bell at the same place.
  ///   - schema: who owns the file and how its tables come to be; by default somebody else sees to that.
  ///   - tables: whose changes are recorded. Their columns and keys must exist.
  /// - Throws: ``HistoryError`` of kind `badDeclaration`, `unseenChange` (a table declares REPLACE) or `store`.
  ///
  /// Where nothing has to be made or mended, nothing is written, and nobody who writes is waited for. See ``notices`` for what
  /// was found on the way.
  public static func open(
    _ path: String, schema: Schema = .anyFile, tracking tables: [TrackedTable],
    options: HistoryOptions = HistoryOptions()
  ) async throws(HistoryError) -> History {
    let path = StorePath.canonical(path)
    try OpeningCheck.look(at: path, schema, tables)
    let head = HeadMonitor()
    let bellName = Doorbell.newName()
    // Hung when all else has gone well: a call that fails leaves nothing behind.
    let ringer = Mutex<DoorbellRinger?>(nil)
    let installation = Installation(schema: schema, tables: tables)
    let writer: WriterThread<RecordingContext>
    let reader: WriterThread<ReadingContext>
    do throws(StoreError) {
      var settings = options.connection
      settings.writeLock = try WriteLock(besideDatabase: path)
      let events = WriterThread<RecordingContext>.Events(
        rolledBack: { $0.undone() },
        committed: { context in
          guard context.recorded != nil else { return }
          // Others first: they have the longer way.
          ringer.withLock { $0 }?.ring()
          if let seq = context.takeRecorded() { head.recorded(upTo: seq) }
        })
      writer = try await WriterThread.open(
        path: path, schema: schema, options: settings,
        verify: { (connection) throws(StoreError) in try installation.look(at: connection) },
        isReady: { (connection) throws(StoreError) in try installation.isDone(on: connection) }, events: events,
        makeContext: { (connection) throws(StoreError) in
          // Otherwise a REPLACE would delete rows unseen.
          try connection.execute("PRAGMA recursive_triggers = ON")
          try installation.run(on: connection)
          return try RecordingContext(connection)
        })
    } catch {
      throw installation.fault ?? HistoryError(error)
    }
    do throws(StoreError) {
      reader = try await WriterThread.open(path: path, schema: .anyFile, options: .reader) {
        (connection) throws(StoreError) in try ReadingContext(connection)
      }
    } catch {
      try? await writer.close()
      throw HistoryError(error)
    }
    let first = try await history { () throws(StoreError) in
      try await reader.perform { (context) throws(StoreError) in try context.head() }
    }
    head.recorded(upTo: first)
    let bell = options.wake.doorbell ? Doorbell(besideDatabase: path, name: bellName) : nil
    if options.wake.doorbell {
      let ring = DoorbellRinger(besideDatabase: path, except: bellName)
      ringer.withLock { $0 = ring }
      // Readers that a gap has made void.
      if !installation.gaps.isEmpty { ring?.ring() }
    }
    let watcher = WakeThread(database: path, options: options.wake, bell: bell, head: head)
    return History(
      path: path, options: options, notices: installation.notices, writer: writer, reader: reader, head: head,
      watcher: watcher)
  }

  /// Ends the work in hand and closes the file. What a hook still thinks about comes again with the next start. Later calls throw, and everybody who waits for changes is let go.
  public func close() async {
    watcher.stop()
    head.close()
    await endTries()
    try? await reader.close()
    try? await writer.close()
  }

  deinit {
    watcher.stop()
    head.close()
  }
}

/// How a history is opened.
public struct HistoryOptions: Sendable {
  /// The writing connection.
  public var connection: ConnectionOptions
  /// The most transactions of a page.
  public var pageTransactions: Int
  /// The changes after which a page ends with the transaction at hand.
  public var pageChanges: Int
  /// How changes of other processes are noticed.
  public var wake: WakeOptions

  /// The defaults.
  public init(
    connection: ConnectionOptions = ConnectionOptions(), pageTransactions: Int = 256, pageChanges: Int = 8_192,
    wake: WakeOptions = WakeOptions()
  ) {
    self.connection = connection
    self.pageTransactions = min(max(pageTransactions, 1), 1 << 20)
    self.pageChanges = max(pageChanges, 1)
    self.wake = wake
  }
}
