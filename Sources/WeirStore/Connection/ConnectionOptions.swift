/// How far a COMMIT reaches before it is acknowledged.
public enum Durability: String, Sendable {
  /// `synchronous=NORMAL`: survives a crash of the process; a power loss may take the last commits, never more than a
  /// suffix of them. Right for what the server can deliver again.
  case normal = "NORMAL"
  /// `synchronous=FULL`: the log is synced at every commit. Right for what only this device knows.
  case full = "FULL"
}

/// What a connection may do with the file.
public enum FileAccess: Sendable {
  /// Read and write; the file is created when it is absent.
  case create
  /// Read and write an existing file.
  case readWrite
  /// Read an existing file.
  case readOnly
  /// Read an existing file and make nothing beside it, whether a writer has it open or not. When nobody has, what is
  /// read is only right as long as nobody begins to write: compare the file's size and time before and after.
  case observe

  /// Whether it may change the file.
  var writes: Bool { self == .create || self == .readWrite }
}

/// The settings of a connection, with the measured defaults (storage spec A5).
public struct ConnectionOptions: Sendable {
  /// Bytes of a page in a new file. Half of SQLite's own: scattered ids dirty a page of each index for nearly every message,
  /// so that the size of a page is what a message costs (storage spec A5).
  static let pageSize = 2_048

  /// What the connection may do with the file.
  public var access: FileAccess
  /// How far a COMMIT reaches.
  public var durability: Durability
  /// Page cache in KiB: 16 MiB for a writer, 4 MiB for a reader: the pages that some forty open conversations
  /// of a large store need.
  public var cacheKibibytes: Int32
  /// How long a statement waits for another connection's lock, in milliseconds.
  public var busyTimeoutMilliseconds: Int32
  /// The write-ahead log is folded into the file once it holds more pages than this.
  public var checkpointPages: Int32
  /// Held around every transaction that a ``WriterThread`` commits and every checkpoint; nil where one process writes.
  public var writeLock: WriteLock?
  /// Whether `quick_check` reads the whole file at open (about 2.5 ms a MiB).
  public var quickCheck: Bool

  /// Settings of a connection; the defaults are those of a writer.
  public init(
    access: FileAccess = .create, durability: Durability = .normal, cacheKibibytes: Int32 = 16 << 10,
    busyTimeoutMilliseconds: Int32 = 5_000, checkpointPages: Int32 = 4_000, quickCheck: Bool = false,
    writeLock: WriteLock? = nil
  ) {
    self.access = access
    self.durability = durability
    self.cacheKibibytes = cacheKibibytes
    self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
    self.checkpointPages = checkpointPages
    self.quickCheck = quickCheck
    self.writeLock = writeLock
  }

  /// The settings of a reader beside the writer of the same file.
  public static var reader: ConnectionOptions { ConnectionOptions(access: .readOnly, cacheKibibytes: 4 << 10) }

  /// The settings of a reader that leaves no trace.
  public static var observer: ConnectionOptions { ConnectionOptions(access: .observe, cacheKibibytes: 4 << 10) }
}
