import Synchronization
import WeirStore

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
  /// Its name among the bells.
  let name: String
  private let path: String

  /// A name for a bell of this process.
  static func newName() -> String { "\(getpid()).\(UInt32.random(in: .min ... .max))" }

  /// Hangs the bell; nil where the file system does not allow it, which leaves the other ways to hear of a change.
  init?(besideDatabase database: String, name: String = Doorbell.newName()) {
    let directory = DoorbellPlace.directory(database)
    _ = mkdir(directory, 0o700)
    let place = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard place >= 0 else { return nil }
    defer { close(place) }
    let bell = socket(AF_UNIX, DoorbellPlace.datagram, 0)
    guard bell >= 0 else { return nil }
    _ = fcntl(bell, F_SETFD, FD_CLOEXEC)
    _ = fcntl(bell, F_SETFL, O_NONBLOCK)
    guard let address = DoorbellPlace.address(name, in: directory, descriptor: place),
      DoorbellPlace.with(address, { bind(bell, $0, $1) }) == 0
    else {
      close(bell)
      return nil
    }
    descriptor = bell
    self.name = name
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

/// Rings all bells beside a database but the own one: who commits knows already. Used by the writer's thread alone.
final class DoorbellRinger: Sendable {
  private struct Bell {
    let name: String
    let address: sockaddr_un
  }

  private struct Known {
    /// When the directory was changed last, as it was read; zero where that was too short a time ago to trust it: the
    /// clock of a file system moves in steps.
    var changed: Int64 = 0
    var bells: [Bell] = []
  }

  private let directory: String
  private let own: String?
  private let sender: Int32
  /// Held open for addresses that are too long by their path.
  private let place: Int32
  private let known = Mutex(Known())
  /// Steps of a file system's clock are shorter than this: Linux's take 10 ms at most.
  private static let clockStep: Int64 = 20_000_000

  init?(besideDatabase database: String, except own: String?) {
    directory = DoorbellPlace.directory(database)
    self.own = own
    place = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    sender = socket(AF_UNIX, DoorbellPlace.datagram, 0)
    guard sender >= 0 else { return nil }
    _ = fcntl(sender, F_SETFD, FD_CLOEXEC)
    _ = fcntl(sender, F_SETFL, O_NONBLOCK)
  }

  deinit {
    _ = close(sender)
    if place >= 0 { _ = close(place) }
  }

  /// Rings once. Never waits: a bell that has rings waiting is heard anyway.
  func ring() {
    known.withLock { known in
      let changed = FileStanding(path: directory)?.modified ?? 0
      if known.changed == 0 || changed != known.changed { list(&known, changed) }
      for bell in known.bells {
        var byte: UInt8 = 1
        let sent = DoorbellPlace.with(bell.address) { sendto(sender, &byte, 1, 0, $0, $1) }
        // Nobody is bound to it any more: its process was killed.
        if sent < 0, errno == ECONNREFUSED { _ = unlink(directory + "/" + bell.name) }
      }
    }
  }

  private func list(_ known: inout Known, _ changed: Int64) {
    known = Known()
    guard let listing = opendir(directory) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      // An entry ends with its name: copying one whole reads beyond the listing.
      let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
      guard !name.hasPrefix("."), name != own,
        let address = DoorbellPlace.address(name, in: directory, descriptor: place)
      else { continue }
      known.bells.append(Bell(name: name, address: address))
    }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec) &- changed
    if age > Self.clockStep { known.changed = changed }
  }
}
