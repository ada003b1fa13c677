import Synchronization

/// What happened, in order; may be written from any task.
final class EventLog: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
  }

  var all: [String] { lines.withLock { $0 } }
}
