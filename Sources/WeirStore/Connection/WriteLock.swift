#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An advisory lock that the processes that write to one file take around every write transaction and every checkpoint.
///
/// SQLite's own lock makes a writer that finds it taken sleep and look again; this one wakes it at once, and keeps a
/// checkpoint from running beside a commit of another connection (storage spec E1, E7). It is on a file of its own, since
/// closing a second descriptor on a SQLite file would take SQLite's locks away. The kernel frees it when its process
/// ends, however it ends. The file stays: whoever removed it could lock another one than its peer.
///
/// Held by one thread at a time: each handle of this class is for one connection.
public final class WriteLock: Sendable {
  private let descriptor: Int32

  /// Opens the lock beside the database at `path`, as `path-lock`.
  ///
  /// - Throws: `StoreError` of kind `cannotOpen` or `diskFull`.
  public init(besideDatabase path: String) throws(StoreError) {
    let name = path + "-lock"
    descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let number = errno
      throw StoreError(
        [ENOSPC, EDQUOT].contains(number) ? .diskFull : .cannotOpen,
        "cannot open \(name): \(String(cString: strerror(number)))")
    }
  }

  deinit { _ = close(descriptor) }

  /// Waits until no other handle holds the lock.
  func take() {
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
  }

  /// Gives it back.
  func giveBack() { _ = flock(descriptor, LOCK_UN) }

  /// Runs `body` while the lock is held.
  func held<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    take()
    defer { giveBack() }
    return try body()
  }
}
