import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The thread that moves the bytes of one terminal, and what it shares with the tasks.
final class TerminalLoop: Sendable {
  let incoming: BytePipe
  let outgoing: BytePipe
  private let descriptor: Int32
  private let bell: PipeBell
  /// Whether the descriptor is still this terminal's.
  private let isOpen = Mutex(true)

  /// Takes the descriptor over when it succeeds.
  init(_ descriptor: Int32) throws(RadioError) {
    let bell = try PipeBell()
    self.descriptor = descriptor
    self.bell = bell
    incoming = BytePipe(capacity: 65_536) { bell.ring() }
    outgoing = BytePipe(capacity: 65_536) { bell.ring() }
    var thread = TerminalLoop.noThread()
    // The thread holds the loop until it ends.
    let box = Unmanaged.passRetained(self)
    let result = pthread_create(&thread, nil, TerminalLoop.body, box.toOpaque())
    guard result == 0 else {
      box.release()
      bell.close()
      throw RadioError(.linkLost, "starting the thread of the terminal failed: \(String(cString: strerror(result)))")
    }
    #if canImport(Glibc)
      pthread_detach(thread)
    #else
      if let thread { pthread_detach(thread) }
    #endif
  }

  /// Ends both directions; the thread closes the terminal.
  func end(_ error: RadioError) {
    // Whoever reads that it is over finds that writing is over too.
    outgoing.close(error)
    incoming.close(error)
    // Whoever opens the device next need not wait for the thread.
    isOpen.withLock { if $0 { _ = flock(descriptor, LOCK_UN) } }
    bell.ring()
  }

  #if canImport(Glibc)
    private static func noThread() -> pthread_t { pthread_t() }
    private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
      if let argument { Unmanaged<TerminalLoop>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }
  #else
    private static func noThread() -> pthread_t? { nil }
    private static let body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { argument in
      Unmanaged<TerminalLoop>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }
  #endif

  private func run() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !incoming.isClosed {
      var events: Int16 = 0
      if incoming.room > 0 { events |= Int16(POLLIN) }
      if !outgoing.isEmpty { events |= Int16(POLLOUT) }
      // With nothing to do there, a hang-up has to wait as well: what came before it is still unread.
      let polledDescriptor = events == 0 ? -1 : descriptor
      var polled = [
        pollfd(fd: polledDescriptor, events: events, revents: 0),
        pollfd(fd: bell.listener, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&polled, 2, -1) < 0, errno != EINTR { break }
      if polled[1].revents != 0 { bell.silence() }
      let happened = polled[0].revents
      if happened & Int16(POLLIN) != 0, !receive(&buffer) { break }
      if happened & Int16(POLLOUT) != 0, !send() { break }
      // A terminal that was hung up is read to its end first.
      if happened & Int16(POLLIN) == 0, happened & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { break }
    }
    let error = RadioError(.linkLost, "the terminal was hung up")
    outgoing.close(error)
    incoming.close(error)
    bell.close()
    isOpen.withLock { isOpen in
      isOpen = false
      close(descriptor)
    }
  }

  private func receive(_ buffer: inout [UInt8]) -> Bool {
    let count = read(descriptor, &buffer, min(buffer.count, incoming.room))
    if count > 0 {
      _ = incoming.push(buffer[..<count])
      return true
    }
    return count < 0 && (errno == EAGAIN || errno == EINTR)
  }

  private func send() -> Bool {
    var isFine = true
    outgoing.pull { bytes in
      let count = write(descriptor, bytes.baseAddress, bytes.count)
      if count < 0 { isFine = errno == EAGAIN || errno == EINTR }
      return max(0, count)
    }
    return isFine
  }
}

/// Wakes a thread that polls.
private final class PipeBell: Sendable {
  let listener: Int32
  private let ringer: Mutex<Int32?>

  init() throws(RadioError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw TerminalPort.failure("making a pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    listener = ends[0]
    ringer = Mutex(ends[1])
  }

  func ring() {
    ringer.withLock { ringer in
      guard let ringer else { return }
      var byte: UInt8 = 1
      // A full pipe wakes as well.
      _ = write(ringer, &byte, 1)
    }
  }

  func silence() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(listener, &bytes, bytes.count) == bytes.count {}
  }

  /// Called by the thread at its end.
  func close() {
    ringer.withLock { ringer in
      if let ringer { closeEnd(ringer) }
      ringer = nil
    }
    closeEnd(listener)
  }

  private func closeEnd(_ end: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(end)
    #else
      _ = Darwin.close(end)
    #endif
  }
}
