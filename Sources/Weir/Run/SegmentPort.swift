/// What a task of a run does. An object, since a closure that passes through generic code is wrapped once more each time.
@usableFromInline
protocol SegmentBody: AnyObject, Sendable {
  nonisolated(nonsending) func run() async
}

/// A closure as the body of a task.
final class SegmentClosure: SegmentBody {
  private let body: @Sendable () async -> Void
  init(_ body: @escaping @Sendable () async -> Void) { self.body = body }
  nonisolated(nonsending) func run() async { await body() }
}

/// One end of a link that a task of a run owns.
@usableFromInline
protocol SegmentPort: AnyObject, Sendable {
  /// Whether the task writes here.
  var isOutput: Bool { get }
  /// The task is complete and will start.
  func sealed(in segment: Segment)
  /// The task was cancelled: nothing more passes.
  func segmentCancelled()
}

/// Something else that has to hear of the cancellation of a task.
final class ClosingAction: SegmentPort {
  private let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  var isOutput: Bool { false }
  func sealed(in segment: Segment) {}
  func segmentCancelled() { action() }
}
