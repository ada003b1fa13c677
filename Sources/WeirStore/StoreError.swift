import CSQLite
import Weir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What went wrong in the store, and what to do about it.
///
/// `code` is stable and meant for branching; `description` is for people and may change.
public struct StoreError: CodedError, RetryableError, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure. The raw values are the stable codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// No room for the write (SQLite 13), or a quota or a limit on the file's size was reached. The transaction was rolled
    /// back.
    case diskFull = "store.disk-full"
    /// Reading or writing the file failed (SQLite 10 and its extended codes, for example 778).
    case io = "store.io"
    /// The file or its directory does not allow writing.
    case readOnly = "store.read-only"
    /// Another connection held the lock for longer than the busy timeout.
    case busy = "store.busy"
    /// The file is damaged: SQLite or a row checksum says so.
    case corrupt = "store.corrupt"
    /// The file was moved away, deleted or replaced while it was open for writing: what is committed would be lost.
    case fileGone = "store.file-gone"
    /// The file belongs to another application or another account.
    case foreignFile = "store.foreign-file"
    /// The file was written by a newer version of the library.
    case newerFormat = "store.newer-format"
    /// A later epoch of the account has claimed the file: this writer must not commit any more.
    case staleEpoch = "store.stale-epoch"
    /// A read took longer than a reader may hold its view of the file.
    case timedOut = "store.timed-out"
    /// The file cannot be opened or created.
    case cannotOpen = "store.cannot-open"
    /// The caller's task was cancelled before there was an answer.
    case cancelled = "store.cancelled"
    /// The store was closed before the call.
    case closed = "store.closed"
    /// A value is not acceptable (too big, out of range).
    case invalidInput = "store.invalid-input"
    /// Memory ran out inside SQLite.
    case outOfMemory = "store.out-of-memory"
    /// Any other answer of SQLite; `sqliteCode` tells which.
    case unexpected = "store.unexpected"
  }

  /// The kind of failure.
  public let kind: Kind
  /// What went wrong, in words.
  public let detail: String
  /// The extended SQLite result code, when SQLite reported the failure.
  public let sqliteCode: Int32?

  /// A failure of `kind`, told by `detail`; `sqliteCode` is the extended result code, if there is one.
  public init(_ kind: Kind, _ detail: String, sqliteCode: Int32? = nil) {
    self.kind = kind
    self.detail = detail
    self.sqliteCode = sqliteCode
  }

  /// The stable code, for example `store.disk-full`.
  public var code: String { kind.rawValue }

  /// Whether the same call may succeed later without any repair (space returns, the lock is released).
  public var isRetryable: Bool {
    switch kind {
    case .diskFull, .io, .busy, .outOfMemory, .timedOut: true
    default: false
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch kind {
    case .diskFull:
      "free space on the disk, or raise the quota or file size limit, and apply the same facts again; "
        + "nothing of this transaction was kept"
    case .io: "check the disk, then apply the same facts again; nothing of this transaction was kept"
    case .readOnly: "make the file and its directory writable, or open the store read-only"
    case .busy: "let the other process finish its transaction and try again"
    case .corrupt: "set the file and its -wal and -shm companions aside together and rebuild the projection"
    case .fileGone:
      "put the file back, or close the store, which keeps what the file itself still gets, and open what stands there "
        + "now; nothing of this transaction was kept"
    case .foreignFile: "choose another path, or open the file with the application and account that made it"
    case .newerFormat: "update this program; the file was left untouched"
    case .cannotOpen: "check that the path names a file in an existing directory with free space"
    case .cancelled: "ask again when the answer is wanted"
    case .closed: "open the store again"
    case .staleEpoch: "stop this writer; the account has logged in anew, and its new writer has the file"
    case .timedOut: "ask for less at a time, or again when the machine is less busy"
    case .invalidInput: "correct the value and call again"
    case .outOfMemory: "lower the cache size or the batch size"
    case .unexpected: "report the SQLite code; nothing of this transaction was kept"
    }
  }

  /// Prepares what fits the tables of a known format: a statement that does not compile means that the file's tables are not what
  /// its format number says.
  /// - Throws: what `prepare` throws; `corrupt` instead of `unexpected` for a statement that does not compile.
  public static func fittingSchema<Value>(_ prepare: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    do {
      return try prepare()
    } catch {
      guard error.kind == .unexpected, let code = error.sqliteCode, code & 0xff == SQLITE_ERROR else { throw error }
      throw StoreError(.corrupt, "the tables are not those of the file's format: \(error.detail)", sqliteCode: code)
    }
  }

  /// Code, detail and remedy in one line.
  public var description: String {
    let number = sqliteCode.map { " (SQLite \($0))" } ?? ""
    return "\(code): \(detail)\(number); \(remedy)"
  }

  /// Translates an extended SQLite result code.
  ///
  /// - Parameters:
  ///   - sqlite: the extended result code.
  ///   - doing: what the store was doing, for the message.
  ///   - message: SQLite's own words.
  ///   - systemError: `errno` of the failed system call, or 0. SQLite reports a quota or file size limit as an I/O error;
  ///     only this tells it from a broken disk.
  public init(sqlite: Int32, doing: String, message: String, systemError: Int32 = 0) {
    let isOutOfSpace = [ENOSPC, EDQUOT, EFBIG].contains(systemError)
    let kind: Kind =
      switch sqlite & 0xff {
      case SQLITE_FULL: .diskFull
      case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError): .diskFull
      case SQLITE_IOERR where systemError == EISDIR: .cannotOpen
      case SQLITE_CANTOPEN where [ENOSPC, EDQUOT, EFBIG].contains(systemError): .diskFull
      case SQLITE_IOERR: .io
      case SQLITE_READONLY: .readOnly
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
      case SQLITE_CANTOPEN: isOutOfSpace ? .diskFull : .cannotOpen
      case SQLITE_PERM: .cannotOpen
      case SQLITE_AUTH: .invalidInput
      case SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH: .invalidInput
      case SQLITE_NOMEM: .outOfMemory
      case SQLITE_INTERRUPT: .timedOut
      default: .unexpected
      }
    let reason = systemError == 0 ? "" : " (\(String(cString: strerror(systemError))))"
    self.init(kind, "\(doing): \(message)\(reason)", sqliteCode: sqlite)
  }
}

extension StoreError {
  /// What the latest call on a connection reported with `result`. Call it before any other call on the connection.
  init(_ result: Int32, of connection: OpaquePointer?, doing: String) {
    let isRefused = result & 0xff == SQLITE_AUTH
    let message =
      isRefused
      ? "all that is done here is one transaction, which ends by itself"
      : connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
    let isSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(result & 0xff)
    self.init(
      sqlite: result, doing: doing, message: message ?? "no memory for a connection",
      systemError: isSystem ? Self.systemError(of: connection) : 0)
  }

  /// `errno` of the system call that failed last. For a failed COMMIT SQLite keeps it with the log's file only.
  private static func systemError(of connection: OpaquePointer?) -> Int32 {
    var number = sqlite3_system_errno(connection)
    var log: UnsafeMutablePointer<sqlite3_file>?
    if number == 0, sqlite3_file_control(connection, nil, SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK, let log {
      _ = log.pointee.pMethods?.pointee.xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number)
    }
    return number
  }
}
