import Glibc

/// Reads and writes pieces of a file.
struct LargeFile: ~Copyable {
  let path: String
  private let descriptor: Int32

  init(reading path: String) throws(FileTransferError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw AtomicFile.failure("cannot be read", path) }
  }

  init(writing path: String) throws(FileTransferError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw AtomicFile.failure("cannot be written", path) }
  }

  deinit { close(descriptor) }

  var length: Int {
    get throws(FileTransferError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw AtomicFile.failure("cannot be read", path) }
      guard status.st_mode & S_IFMT == S_IFREG else { throw .transport("\(path) is no file") }
      return status.st_size
    }
  }

  func read(at offset: Int, count: Int) throws(FileTransferError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { pread(descriptor, $0 + done, count - done, offset + done) } ?? 0
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw AtomicFile.failure("cannot be read", path) }
      guard got > 0 else { throw .transport("\(path) has become shorter while it was read") }
      done += got
    }
    return bytes
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(FileTransferError) {
    var done = 0
    while done < bytes.count {
      let put = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { pwrite(descriptor, $0 + done, bytes.count - done, offset + done) } ?? 0
      }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else { throw AtomicFile.failure("cannot be written", path) }
      done += put
    }
    guard fdatasync(descriptor) == 0 else { throw AtomicFile.failure("cannot be brought to the disk", path) }
  }

  /// CRC-32C of the first bytes, read in pieces.
  func checksum(count: Int) throws(FileTransferError) -> UInt32 {
    var checksum = RunningChecksum()
    var offset = 0
    while offset < count {
      let piece = min(1 << 18, count - offset)
      checksum.add(try read(at: offset, count: piece))
      offset += piece
    }
    return checksum.value
  }
}
