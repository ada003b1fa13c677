#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Hears of changes to the files of a database by watching their directory: the files themselves come and go. Opens none of
/// them, since closing a descriptor of a database file would take SQLite's locks away (history spec §2).
final class DirectoryWatch: Sendable {
  let descriptor: Int32
  private let name: String

  /// Watches; nil where that is not possible.
  init?(database path: String) {
    #if os(Linux)
      let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
      let directory = slash.map { String(path[..<$0]) } ?? "."
      name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
      let events = [IN_MODIFY, IN_CREATE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE].reduce(UInt32(0)) { $0 | UInt32($1) }
      guard inotify_add_watch(descriptor, directory.isEmpty ? "/" : directory, events) >= 0 else {
        close(descriptor)
        return nil
      }
    #else
      return nil
    #endif
  }

  deinit { _ = close(descriptor) }

  /// Takes what waits.
  ///
  /// - Returns: whether any of it concerns the database.
  func drain() -> Bool {
    #if os(Linux)
      var concerns = false
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return concerns }
        concerns = concerns || holds(buffer.prefix(count))
      }
    #else
      return false
    #endif
  }

  #if os(Linux)
    /// Events are a header of 16 bytes, the last four the length of the name that follows.
    private func holds(_ bytes: ArraySlice<UInt8>) -> Bool {
      var rest = bytes
      while rest.count >= 16 {
        let start = rest.startIndex
        let length = (0..<4).reduce(0) { $0 | Int(rest[start + 12 + $1]) << (8 * $1) }
        let mask = (0..<4).reduce(UInt32(0)) { $0 | UInt32(rest[start + 4 + $1]) << UInt32(8 * $1) }
        guard length >= 0, rest.count >= 16 + length else { return true }
        let name = String(decoding: rest[(start + 16)..<(start + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
        // An overflow of the queue says nothing of whom it concerns.
        if mask & UInt32(IN_Q_OVERFLOW) != 0 || name == self.name || name == self.name + "-wal" { return true }
        rest = rest[(start + 16 + length)...]
      }
      return false
    }
  #endif
}
