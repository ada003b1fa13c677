#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Which file stands under a name, and how it looks from outside: a reader that has it open notices by this that another
/// one was put in its place. SQLite goes on reading the file that it opened, whatever becomes of the name.
public struct FileStanding: Sendable, Equatable {
  /// The device and the number of the file there.
  public let device, number: UInt64
  /// Bytes.
  public let size: Int64
  /// Time of the latest change of the content, in nanoseconds since 1970.
  public let modified: Int64

  /// What stands under `path` now; nil when nothing does.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Whether it is the same file, whatever it holds now, and has lost nothing of its end. Files of a store never shrink
  /// by themselves.
  public func continues(_ earlier: FileStanding) -> Bool {
    device == earlier.device && number == earlier.number && size >= earlier.size
  }
}
