#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A request from outside to stop.
public enum InterruptSignal: Sendable, Hashable, CaseIterable {
  /// SIGINT, Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate

  /// The system's number.
  public var number: Int32 {
    switch self {
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    }
  }

  /// How a command that stopped for it ends.
  public var exitCode: ExitCode {
    switch self {
    case .interrupt: .interrupted
    case .terminate: .terminated
    }
  }
}

/// Decides what a signal means, given the ones before it. A pure value.
struct InterruptDecision: Sendable {
  /// What to do now.
  enum Action: Equatable {
    /// Finish what is inside, then end.
    case stop(InterruptSignal)
    /// The user is not willing to wait.
    case exitAtOnce
    case nothing
  }

  /// The signal that asked to stop first.
  private(set) var first: InterruptSignal?

  /// Takes a signal. Only a Ctrl-C hurries: a service manager may repeat SIGTERM while work is being finished.
  mutating func receive(_ signal: InterruptSignal) -> Action {
    guard first != nil else {
      first = signal
      return .stop(signal)
    }
    return signal == .interrupt ? .exitAtOnce : .nothing
  }
}
