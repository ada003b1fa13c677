import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Listens for SIGINT and SIGTERM: the first one asks the command to finish, a further SIGINT ends it at once.
///
/// From the moment it is made no signal is lost. ``stop()`` puts back the actions that were there. A signal that was
/// being ignored when it was made, as in a background job under `nohup`, stays ignored. Signals belong to the process,
/// so use one listener at a time.
public final class InterruptListener: Sendable {
  private struct State {
    var decision = InterruptDecision()
    var source: (any DispatchSourceRead)?
    var saved: [InterruptSignal: sigaction] = [:]
  }

  private let state = Mutex(State())
  private let onStop: @Sendable (InterruptSignal) -> Void
  private let exitAtOnce: @Sendable () -> Void

  /// Starts to listen. `onStop` is called once, on a queue of the listener; it must not wait. `exitAtOnce` is called at
  /// a SIGINT after that; the default ends the process with 130, without cleaning up.
  public init(
    exitAtOnce: @escaping @Sendable () -> Void = { _exit(ExitCode.interrupted.rawValue) },
    onStop: @escaping @Sendable (InterruptSignal) -> Void
  ) {
    self.onStop = onStop
    self.exitAtOnce = exitAtOnce
    // Made before the first handler is set, so that no handler has to make it.
    let pipe = SignalPipe.shared
    _ = pipe.take()
    state.withLock { state in
      let queue = DispatchQueue(label: "weir.interrupts")
      let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reading, queue: queue)
      source.setEventHandler { [weak self] in
        for number in pipe.take() {
          for signal in InterruptSignal.allCases where signal.number == number { self?.receive(signal) }
        }
      }
      source.resume()
      state.source = source
      for signal in InterruptSignal.allCases {
        var old = sigaction()
        guard sigaction(signal.number, nil, &old) == 0 else { continue }
        if setHandler(signal.number, relay).isIgnoring {
          _ = setHandler(signal.number, SIG_IGN)
        } else {
          state.saved[signal] = old
        }
      }
    }
  }

  deinit { stop() }

  /// The signal that asked to stop, nil while none did. Cheap enough to be looked at once a block.
  public var received: InterruptSignal? { state.withLock { $0.decision.first } }

  /// Ends listening and puts the signals' former actions back. Doing it twice is harmless.
  public func stop() {
    state.withLock { state in
      for (signal, action) in state.saved {
        var action = action
        _ = sigaction(signal.number, &action, nil)
      }
      state.saved = [:]
      state.source?.cancel()
      state.source = nil
    }
  }

  private func receive(_ signal: InterruptSignal) {
    switch state.withLock({ $0.decision.receive(signal) }) {
    case .stop(let signal): onStop(signal)
    case .exitAtOnce: exitAtOnce()
    case .nothing: break
    }
  }
}

/// Carries signal numbers, in order, from the handlers to a queue. There is one in a process and it is never closed: a
/// handler may still be running on some thread when a listener stops.
private struct SignalPipe: Sendable {
  static let shared = SignalPipe()
  let reading: Int32
  let writing: Int32

  private init() {
    var ends: (Int32, Int32) = (-1, -1)
    let isMade = withUnsafeMutableBytes(of: &ends) { pipe($0.assumingMemoryBound(to: Int32.self).baseAddress) == 0 }
    // Without descriptors left, signals are swallowed and SIGKILL is the way out; the work itself cannot start either.
    (reading, writing) = isMade ? ends : (-1, -1)
    for end in [reading, writing] {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  /// The numbers that have come in.
  func take() -> [Int32] {
    var buffer: [UInt8] = Array(repeating: 0, count: 64)
    let count = read(reading, &buffer, buffer.count)
    return buffer.prefix(max(0, count)).map { Int32($0) }
  }
}

/// The handler; it may do little more than write (signal-safety(7)).
private func relay(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(SignalPipe.shared.writing, &byte, 1)
  errno = saved
}

private typealias SignalHandler = (@convention(c) (Int32) -> Void)?

/// `signal(2)` under another name, as the loop variable above has its own; returns the former handler.
private func setHandler(_ number: Int32, _ handler: SignalHandler) -> SignalHandler {
  signal(number, handler)
}

extension SignalHandler {
  /// True for `SIG_IGN`, which is a number in the place of a function and can only be compared as one.
  fileprivate var isIgnoring: Bool { unsafeBitCast(self, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) }
}

/// Makes a write to a closed pipe an error (`EPIPE`) instead of a silent end, so that stores are closed properly.
public func ignoreBrokenPipes() {
  _ = signal(SIGPIPE, SIG_IGN)
}

/// Makes a write beyond the limit on file sizes an error (`EFBIG`) instead of the end of the process, so that it can be
/// told to the user.
public func ignoreFileSizeSignals() {
  _ = signal(SIGXFSZ, SIG_IGN)
}
