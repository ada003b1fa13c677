#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the watcher's thread is told from other threads, by a pipe that `poll` hears. Open as long as anybody may tell it something,
/// so that no descriptor is written to that means something else by now.
final class WakeMessages: Sendable {
  enum Message: UInt8 {
    /// Look now: somebody waits.
    case look = 0
    /// End.
    case stop = 1
  }

  /// Readable when there is a message; -1 where the system gave no pipe, and then the timer is all there is.
  let descriptor: Int32
  private let sender: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, sender) = (ends[0], ends[1])
  }

  deinit { for end in [descriptor, sender] where end >= 0 { _ = close(end) } }

  func send(_ message: Message) {
    var byte = message.rawValue
    _ = write(sender, &byte, 1)
  }

  /// The weightiest of the messages that wait.
  func take() -> Message {
    var bytes = [UInt8](repeating: 0, count: 64)
    var found = Message.look
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return found }
      if bytes.prefix(count).contains(Message.stop.rawValue) { found = .stop }
    }
  }
}
