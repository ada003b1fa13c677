#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An advisory lock on a name, held by one process at a time and freed by the kernel when that process ends, however it
/// ends.
///
/// The lock is on a file of its own, since a second descriptor on a SQLite file would take SQLite's own locks away when
/// it is closed. The file is removed when the lock is given back; a killed process leaves it, which does no harm.
final class FileLock: Sendable {
  /// Why the lock was not to be had.
  enum Failure: Error, Equatable {
    /// Another process holds it; its number where it could be read.
    case held(by: Int?)
    /// The file cannot be made or locked.
    case system(SystemFault)
  }

  private let path: String
  private let file: OpenFile

  /// Takes the lock at once, or says why not.
  init(path: String) throws(Failure) {
    self.path = path
    do {
      file = try Self.acquire(path)
      var text = Array("\(getpid())\n".utf8)
      // Only for the message of the process that finds it taken.
      if ftruncate(file.number, 0) == 0 { try? file.write(&text) }
    } catch {
      guard error.number == EWOULDBLOCK else { throw .system(error) }
      throw .held(by: Self.owner(path))
    }
  }

  deinit {
    // While it is held: the next owner makes sure that the name still stands for the file it has locked.
    _ = unlink(path)
  }

  private static func acquire(_ path: String) throws(SystemFault) -> OpenFile {
    while true {
      let file = try OpenFile(writing: path, .append, isPrivate: true)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemFault.latest }
      // The former owner may have removed it between the two calls.
      let named = try? OpenFile.status(of: path)
      if try named?.identity == file.status().identity { return file }
    }
  }

  private static func owner(_ path: String) -> Int? {
    guard let file = try? OpenFile(reading: path) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 16)
    guard let count = try? file.read(into: &buffer) else { return nil }
    return Int(String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
