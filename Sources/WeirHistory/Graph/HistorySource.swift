import Weir
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What others have written to a store, batch by batch, as a source of a graph. It reads on when the batch before is
/// merged, so that the position in the file, not a notification, says what comes next.
///
/// - Emits when: transactions of others are recorded beyond the position, and the batch before is merged.
/// - Waits when: nothing new is recorded, the batch before is under way, or a delay is on after a failure.
/// - Finishes when: the history is closed or the run drained.
/// - Cancels when: downstream does.
/// - Memory: one page.
/// - Errors: ``HistoryError`` of kind `unknownAuthor`, `retired` or, without a rebuild, `expired`.
public struct HistorySource: Sendable {
  let history: History
  let author: String
  let settings: Settings

  /// How a reader reads.
  public struct Settings: Sendable {
    /// Whose transactions; nil for everybody but the own author.
    public var filter: AuthorFilter?
    /// When history is deleted behind the passes.
    public var cleaning = CleanStrategy.none
    /// What a cleaning keeps.
    public var keeping = HistoryKeeping()
    /// Makes the reader's rows anew where its position is void; see ``History/rebuild(_:as:_:)``. Without it the source fails then.
    public var rebuild: (@Sendable (Connection) throws -> Void)?
    /// Measures delays.
    public var clock = GraphClock.continuous
    /// Hears what becomes of the passes.
    public var report: @Sendable (HistoryEvent) -> Void = { _ in }

    /// The defaults.
    public init() {}
  }

  /// A source of what others write than `author`, which must be registered as a reader.
  public init(_ history: History, author: String, settings: Settings = Settings()) {
    self.history = history
    self.author = author
    self.settings = settings
  }

  /// Reads until the history is closed or the task is cancelled.
  func run(_ output: ProcessOutput<HistoryBatch>) async throws {
    var reading = Reading(source: self)
    while !Task.isCancelled {
      guard let promise = try await output.idle(while: { try await reading.next() }) else { return }
      guard await send(&reading, output) else { return await reading.leave() }
      let outcome = await output.idle {
        await withTaskCancellationHandler {
          await promise.outcome()
        } onCancel: {
          // A hook may hear nothing of it, and the process end while it waits: that is no fault of what it waits for.
          Task { try? await history.endTry(of: author) }
        }
      }
      // What was under way when the run was aborted is no failure: it comes again.
      if Task.isCancelled, !outcome.isMerged { return await output.idle { await reading.leave() } }
      // Neither is what the closing of the history has cut short.
      if history.head.isClosed, !outcome.isMerged { return }
      try await output.idle {
        try await reading.settle(outcome)
        // What waits now is under way no more: a process that ends meanwhile has not died of it.
        if reading.isDelayed { await reading.leave() }
      }
    }
  }
}

extension HistorySource {
  /// The copy that is sent is the only one afterwards: when it is thrown away, the promise hears of it.
  private func send(_ reading: inout Reading, _ output: ProcessOutput<HistoryBatch>) async -> Bool {
    guard let batch = reading.takeBatch() else { return false }
    return await output.send(batch)
  }
}

extension GraphBuilder {
  /// What others have written to a store, batch by batch. See ``HistorySource``.
  public func source(
    _ name: String, _ history: HistorySource, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<HistoryBatch> {
    source(name, of: HistoryBatch.self, limit: .elements(1), file: file, line: line) { output in
      try await history.run(output)
    }
  }
}
