#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The directory beside a database in which every process that has it open hangs its bell, a datagram socket.
enum DoorbellPlace {
  static func directory(_ database: String) -> String { database + "-bells" }

  /// The address of a bell. A path that is too long for an address is reached through the open directory.
  static func address(_ name: String, in directory: String, descriptor: Int32) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let most = MemoryLayout.size(ofValue: address.sun_path) - 1
    var path = directory + "/" + name
    if path.utf8.count > most { path = "/proc/self/fd/\(descriptor)/\(name)" }
    guard path.utf8.count <= most else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      for (index, byte) in path.utf8.enumerated() { bytes[index] = byte }
    }
    return address
  }

  static func with<Result>(
    _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  #if canImport(Glibc)
    static let datagram = Int32(SOCK_DGRAM.rawValue)
  #else
    static let datagram = SOCK_DGRAM
  #endif
}

/// A bell: heard by `poll` on its descriptor. Taken down with the object; one left by a killed process is removed by
/// whoever rings it next.
final class Doorbell: Sendable {
  let descriptor: Int32
  private let path: String

  /// Hangs the bell; nil where the file system does not allow it, which leaves the other ways to hear of a change.
  init?(besideDatabase database: String) {
    let directory = DoorbellPlace.directory(database)
    _ = mkdir(directory, 0o700)
    let place = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard place >= 0 else { return nil }
    defer { close(place) }
    let bell = socket(AF_UNIX, DoorbellPlace.datagram, 0)
    guard bell >= 0 else { return nil }
    _ = fcntl(bell, F_SETFD, FD_CLOEXEC)
    _ = fcntl(bell, F_SETFL, O_NONBLOCK)
    let name = "\(getpid()).\(UInt32.random(in: .min ... .max))"
    guard let address = DoorbellPlace.address(name, in: directory, descriptor: place),
      DoorbellPlace.with(address, { bind(bell, $0, $1) }) == 0
    else {
      close(bell)
      return nil
    }
    descriptor = bell
    path = directory + "/" + name
  }

  deinit {
    _ = unlink(path)
    _ = close(descriptor)
  }

  /// Takes all rings that wait.
  func drain() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) >= 0 {}
  }
}

/// Rings all bells beside a database. Used by the writer's thread alone.
final class DoorbellRinger: Sendable {
  private let directory: String
  private let sender: Int32

  init?(besideDatabase database: String) {
    directory = DoorbellPlace.directory(database)
    sender = socket(AF_UNIX, DoorbellPlace.datagram, 0)
    guard sender >= 0 else { return nil }
    _ = fcntl(sender, F_SETFD, FD_CLOEXEC)
    _ = fcntl(sender, F_SETFL, O_NONBLOCK)
  }

  deinit { _ = close(sender) }

  /// Rings once. Never waits: a bell that has rings waiting is heard anyway.
  func ring() {
    guard let listing = opendir(directory) else { return }
    defer { closedir(listing) }
    let place = dirfd(listing)
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix("."), let address = DoorbellPlace.address(name, in: directory, descriptor: place) else {
        continue
      }
      var byte: UInt8 = 1
      let sent = DoorbellPlace.with(address) { sendto(sender, &byte, 1, 0, $0, $1) }
      // Nobody is bound to it any more: its process was killed.
      if sent < 0, errno == ECONNREFUSED { _ = unlinkat(place, name, 0) }
    }
  }
}
