import Dispatch
import InboxScreen
import Synchronization
import Weir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Keys, changes of the size, and signals that ask to end, as the input of a graph.
final class TerminalInput: Sendable {
  private struct State {
    var decoder = KeyDecoder()
    var sources: [any DispatchSourceRead] = []
  }

  private let state = Mutex(State())
  private let emitter: CallbackEmitter<InboxModel.Input>

  private init(_ emitter: CallbackEmitter<InboxModel.Input>) { self.emitter = emitter }

  /// Feeds a graph with what the terminal says, until the graph ends.
  @Sendable static func register(_ emitter: CallbackEmitter<InboxModel.Input>) {
    let input = TerminalInput(emitter)
    for number in [SIGWINCH, SIGTERM, SIGINT, SIGHUP] { SignalPipe.shared.watch(number) }
    input.watch(STDIN_FILENO) { input.readKeys() }
    input.watch(SignalPipe.shared.reading) { input.readSignals() }
    emitter.onEnd { _ in input.stop() }
  }

  private func watch(_ descriptor: Int32, _ handler: @escaping @Sendable () -> Void) {
    state.withLock { state in
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
      source.setEventHandler(handler: handler)
      source.resume()
      state.sources.append(source)
    }
  }

  private func stop() {
    state.withLock { state in
      for source in state.sources { source.cancel() }
      state.sources = []
    }
  }

  private func readKeys() {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
    guard count > 0 else {
      // The terminal is gone.
      stop()
      emitter.yield(.stop)
      return
    }
    let bytes = buffer.prefix(count)
    for key in state.withLock({ $0.decoder.take(bytes) }) { emitter.yield(.key(key)) }
  }

  private func readSignals() {
    for number in SignalPipe.shared.take() {
      let size = Terminal.size
      emitter.yield(number == SIGWINCH ? .resize(columns: size.columns, rows: size.rows) : .stop)
    }
  }
}

/// Carries signal numbers from handlers, which may do little more than write, to a queue.
struct SignalPipe: Sendable {
  static let shared = SignalPipe()
  let reading: Int32
  private let writing: Int32

  private init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  func watch(_ number: Int32) {
    _ = signal(number) { number in
      let saved = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(SignalPipe.shared.writing, &byte, 1)
      errno = saved
    }
  }

  func take() -> [Int32] {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(reading, &buffer, buffer.count)
    return buffer.prefix(max(count, 0)).map { Int32($0) }
  }
}
