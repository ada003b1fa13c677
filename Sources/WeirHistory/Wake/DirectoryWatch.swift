#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Hears of changes to the files of a database by watching their directory: the files themselves come and go. Opens none of
/// them, since closing a descriptor of a database file would take SQLite's locks away (history spec §2).
///
/// Hears one change and is deaf until it is armed again: a transaction changes its files many times, and each change that is
/// told costs the writer time.
final class DirectoryWatch: Sendable {
  let descriptor: Int32
  private let directory: String

  /// Watches; nil where that is not possible.
  init?(database path: String) {
    #if os(Linux)
      let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
      let folder = slash.map { String(path[..<$0]) } ?? "."
      directory = folder.isEmpty ? "/" : folder
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      guard arm() else {
        close(descriptor)
        return nil
      }
    #else
      return nil
    #endif
  }

  deinit { _ = close(descriptor) }

  /// Hears the next change.
  ///
  /// - Returns: whether it can.
  @discardableResult
  func arm() -> Bool {
    #if os(Linux)
      let events = [IN_MODIFY, IN_CREATE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE].reduce(UInt32(0)) { $0 | UInt32($1) }
      return inotify_add_watch(descriptor, directory, events | UInt32(IN_ONESHOT)) >= 0
    #else
      return false
    #endif
  }

  /// Takes what waits. Which file it is about does not matter: whoever is woken looks.
  func drain() {
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }
}
