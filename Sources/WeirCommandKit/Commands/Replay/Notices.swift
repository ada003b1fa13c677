import Synchronization

/// Remarks for the user from any node of a running graph, printed by the task that owns the status line.
///
/// Bounded: when nobody prints, only the first 100 wait and the others are counted.
final class Notices: Sendable {
  private static let limit = 100
  private let waiting = Mutex<(texts: [String], lost: Int)>(([], 0))

  func post(_ text: String) {
    waiting.withLock { waiting in
      if waiting.texts.count < Self.limit { waiting.texts.append(text) } else { waiting.lost += 1 }
    }
  }

  func take() -> [String] {
    waiting.withLock { waiting in
      defer { waiting = ([], 0) }
      return waiting.texts + (waiting.lost > 0 ? ["and \(Humane.count(waiting.lost)) more remarks"] : [])
    }
  }
}
