/// What a ``HistoryTracker`` says, as a line of text.
public protocol HistoryLogger: Sendable {
  /// Takes one line. Called from any task; must not wait.
  func log(_ kind: HistoryLogKind, _ message: String)
}

/// How serious a line is.
public enum HistoryLogKind: String, Sendable, CaseIterable {
  /// For who looks for a fault.
  case debug
  /// What happens in the usual course.
  case info
  /// What is worth knowing.
  case notice
  /// What went wrong and is tried again.
  case error
  /// What went wrong for good.
  case fault
}

/// Prints to the standard output.
public struct PrintingHistoryLogger: HistoryLogger {
  /// A logger.
  public init() {}

  public func log(_ kind: HistoryLogKind, _ message: String) { print("[\(kind.rawValue)] \(message)") }
}

/// How much a ``HistoryTracker`` says.
public enum HistoryLogLevel: Int, Sendable, Comparable, CaseIterable {
  /// Nothing.
  case none = 0
  /// Starts, stops and failures.
  case important = 1
  /// Registrations, passes and cleanings as well.
  case detailed = 2

  public static func < (left: HistoryLogLevel, right: HistoryLogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Sorts events into lines and levels.
struct HistoryLog: Sendable {
  let logger: any HistoryLogger
  let level: HistoryLogLevel
  let author: String

  func say(_ kind: HistoryLogKind, _ needed: HistoryLogLevel, _ message: @autoclosure () -> String) {
    if level >= needed { logger.log(kind, "\(author): \(message())") }
  }

  func say(_ event: HistoryEvent) {
    switch event {
    case .merged(let seqs, let cursor):
      say(.info, .detailed, "merged \(seqs.count) transactions, the position is \(cursor)")
    case .failed(let failure): say(.error, .important, "\(failure)")
    case .stalled(let failure):
      say(.fault, .important, "a hook or target fails for every transaction, none is given up: \(failure)")
    case .deadLettered(let seq, let attempts, let reason):
      say(.error, .important, "transaction \(seq) is a dead letter after \(attempts) attempts: \(reason)")
    case .replayed(let seq): say(.notice, .important, "the dead letter \(seq) was replayed")
    case .decided(let hook, let what): say(.info, .detailed, "\(hook) decided: \(what)")
    case .slowHook(let name, let elapsed): say(.notice, .important, "\(name) is still running after \(elapsed)")
    case .observerCancelled(let name, let delivery):
      say(.error, .important, "\(name) was cancelled at its deadline, for \(delivery)")
    case .targetFailed(let name, let error): say(.error, .important, "the target \(name) failed: \(error)")
    case .deferred(let seq, let delay): say(.info, .detailed, "from transaction \(seq) on put off for \(delay)")
    case .lostRace: say(.info, .detailed, "another pass was faster; reading again")
    case .expired(let error): say(.fault, .important, "\(error)")
    case .rebuilt(let cursor): say(.notice, .important, "rebuilt from the rows, the position is \(cursor)")
    case .cleaned(let cleaning):
      say(.info, .detailed, "deleted \(cleaning.transactions) transactions up to \(cleaning.purgedThrough)")
    case .ended(let error): say(.fault, .important, "stopped: \(error)")
    case .cleaningFailed(let error): say(.error, .important, "the cleaning failed: \(error)")
    }
  }
}
