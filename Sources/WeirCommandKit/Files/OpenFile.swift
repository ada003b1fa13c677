#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file descriptor that is closed when the last reference goes away.
///
/// All system calls on files live here, so that interrupted and partial calls are handled once. The descriptor is
/// immutable, and the kernel serialises calls on it, hence `Sendable`.
final class OpenFile: Sendable {
  /// What the kernel says about a file: kind, size and identity.
  struct Status: Sendable, Equatable {
    /// Tells one file from another on this machine, also after a rename.
    struct Identity: Sendable, Equatable {
      let device: UInt64
      let inode: UInt64
    }
    let identity: Identity
    let isRegular: Bool
    let isDirectory: Bool
    /// Bytes; meaningful for a regular file only.
    let size: Int64
    /// Time of the latest change of the content, in nanoseconds since 1970.
    let modified: Int64

    fileprivate init(_ raw: stat) {
      identity = Identity(device: UInt64(truncatingIfNeeded: raw.st_dev), inode: UInt64(truncatingIfNeeded: raw.st_ino))
      isRegular = raw.st_mode & S_IFMT == S_IFREG
      isDirectory = raw.st_mode & S_IFMT == S_IFDIR
      size = Int64(raw.st_size)
      #if canImport(Glibc)
        let time = raw.st_mtim
      #else
        let time = raw.st_mtimespec
      #endif
      modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
  }

  /// The descriptor's number.
  let number: Int32
  private let closesAtEnd: Bool

  /// Borrows a descriptor that somebody else closes (standard input, output and error).
  init(borrowing number: Int32) {
    self.number = number
    closesAtEnd = false
  }

  /// Opens `path` for reading. It never waits, also not for the writer of a named pipe.
  init(reading path: String) throws(SystemFault) {
    number = try Self.open(path, O_RDONLY | O_NONBLOCK, 0)
    closesAtEnd = true
  }

  /// How an output file is opened.
  enum Creation {
    /// The file must not exist.
    case new
    /// An existing file is emptied.
    case replace
    /// Every write goes to the end of the file, which is created when missing.
    case append
  }

  /// Opens `path` for writing; a file it creates is readable by its owner only when `isPrivate`.
  init(writing path: String, _ creation: Creation, isPrivate: Bool = false) throws(SystemFault) {
    let mode: mode_t = isPrivate ? 0o600 : 0o644
    number =
      switch creation {
      case .new: try Self.open(path, O_WRONLY | O_CREAT | O_EXCL, mode)
      case .replace: try Self.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
      // Reading too: the last byte tells whether an earlier writer was cut off inside a line.
      case .append: try Self.open(path, O_RDWR | O_CREAT | O_APPEND, mode)
      }
    closesAtEnd = true
  }

  deinit {
    if closesAtEnd { _ = close(number) }
  }

  private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) throws(SystemFault) -> Int32 {
    while true {
      #if canImport(Glibc)
        let number = Glibc.open(path, flags | O_CLOEXEC, mode)
      #else
        let number = Darwin.open(path, flags | O_CLOEXEC, mode)
      #endif
      if number >= 0 { return number }
      let fault = SystemFault.latest
      if fault.number != EINTR { throw fault }
    }
  }

  /// Status of this file.
  func status() throws(SystemFault) -> Status {
    var raw = stat()
    guard fstat(number, &raw) == 0 else { throw SystemFault.latest }
    return Status(raw)
  }

  /// Status of whatever `path` names now, links followed.
  static func status(of path: String) throws(SystemFault) -> Status {
    var raw = stat()
    guard stat(path, &raw) == 0 else { throw SystemFault.latest }
    return Status(raw)
  }

  /// The name of an existing file without links; nil when there is none.
  static func resolvedPath(of path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// True when this process may read `path`; it is not opened, so a pipe's writer notices nothing.
  static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Moves the read position; regular files only.
  func seek(to offset: Int64) throws(SystemFault) {
    guard lseek(number, off_t(offset), SEEK_SET) >= 0 else { throw SystemFault.latest }
  }

  /// Bytes to read, an end of stream or an error are at hand, so that a read would not wait.
  func isReadyToRead() throws(SystemFault) -> Bool {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&request, 1, 0)
      if ready >= 0 { return ready > 0 }
      let fault = SystemFault.latest
      if fault.number != EINTR { throw fault }
    }
  }

  /// Reads once into `buffer`. Returns the bytes read, 0 at the end, nil when nothing is ready yet.
  func read(into buffer: inout [UInt8]) throws(SystemFault) -> Int? {
    while true {
      let count = buffer.withUnsafeMutableBytes { space in
        #if canImport(Glibc)
          Glibc.read(number, space.baseAddress, space.count)
        #else
          Darwin.read(number, space.baseAddress, space.count)
        #endif
      }
      if count >= 0 { return count }
      let fault = SystemFault.latest
      if fault.number == EAGAIN || fault.number == EWOULDBLOCK { return nil }
      if fault.number != EINTR { throw fault }
    }
  }

  /// Writes from `buffer`, removing what was written from its front, until it is empty or an error is thrown: what
  /// is left in `buffer` then has not been written.
  func write(_ buffer: inout [UInt8]) throws(SystemFault) {
    var written = 0
    defer { buffer.removeFirst(written) }
    while written < buffer.count {
      let count = buffer.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        #if canImport(Glibc)
          return Glibc.write(number, rest.baseAddress, rest.count)
        #else
          return Darwin.write(number, rest.baseAddress, rest.count)
        #endif
      }
      if count >= 0 {
        written += count
        continue
      }
      let fault = SystemFault.latest
      switch fault.number {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        // Somebody made a shared descriptor non-blocking; wait for room rather than spin.
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, 1_000)
      default: throw fault
      }
    }
  }

  /// The last byte of a regular file, nil when it is empty or no regular file.
  func lastByte() throws(SystemFault) -> UInt8? {
    let status = try status()
    guard status.isRegular, status.size > 0 else { return nil }
    var byte: UInt8 = 0
    guard pread(number, &byte, 1, off_t(status.size - 1)) == 1 else { throw SystemFault.latest }
    return byte
  }
}
