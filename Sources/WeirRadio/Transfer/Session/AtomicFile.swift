import Glibc

/// Files that are there whole, old or new, whenever the machine stops.
enum AtomicFile {
  /// Writes a file beside the old one, brings it to the disk, and puts it in its place.
  static func write(_ bytes: [UInt8], to path: String) throws(FileTransferError) {
    let new = path + ".new"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be written", new) }
    defer { close(descriptor) }
    try writeAll(bytes, to: descriptor, path: new)
    guard fsync(descriptor) == 0 else { throw failure("cannot be brought to the disk", new) }
    guard rename(new, path) == 0 else { throw failure("cannot be put in its place", path) }
    let folder = open(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/", O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  static func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileTransferError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { Glibc.write(descriptor, $0 + written, bytes.count - written) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("cannot be written", path) }
      written += count
    }
  }

  /// The bytes of a file; nil when there is none, or it has more than `most`.
  static func read(_ path: String, most: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > most { return nil }
    }
  }

  static func failure(_ what: String, _ path: String) -> FileTransferError {
    .transport("\(path) \(what): \(String(cString: strerror(errno)))")
  }
}
