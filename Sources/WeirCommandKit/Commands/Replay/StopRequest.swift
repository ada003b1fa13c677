/// A request to stop in good order, made at most once from anywhere and waited for by one task.
final class StopRequest: Sendable {
  private let requests: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (requests, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
  }

  func make() { continuation.yield() }

  /// Waits for the request; false when the waiting task was cancelled before.
  func wait() async -> Bool {
    for await _ in requests { return true }
    return false
  }
}
