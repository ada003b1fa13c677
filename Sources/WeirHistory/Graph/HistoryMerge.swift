import Weir
import WeirStore

/// Something that what others wrote is merged into: the default merge serves all targets in their order.
public struct MergeTarget: Sendable {
  /// Names it for hooks and in reports.
  public let name: String
  let projection: (@Sendable (Connection, [HistoryTransaction]) throws -> Void)?
  let refresh: (@Sendable ([HistoryTransaction]) async throws -> Void)?

  /// Rows of the same file: written in the transaction that moves the position, so exactly once.
  public static func rows(
    _ name: String, _ write: @escaping @Sendable (Connection, [HistoryTransaction]) throws -> Void
  ) -> MergeTarget {
    MergeTarget(name: name, projection: write, refresh: nil)
  }

  /// Something outside of the file (a cache, a list on the screen, a queue to a radio): told after the COMMIT. One that fails
  /// is reported and keeps nobody else from being told. What must not be lost belongs into rows, or into a merge hook.
  public static func memory(
    _ name: String, _ refresh: @escaping @Sendable ([HistoryTransaction]) async throws -> Void
  ) -> MergeTarget {
    MergeTarget(name: name, projection: nil, refresh: refresh)
  }
}

/// A batch that was merged.
public struct HistoryMerged: Sendable {
  /// What the default merge merged; empty where a hook had dealt with the batch.
  public let transactions: [HistoryTransaction]
  /// The position of the reader now.
  public let cursor: Int64
  /// The transaction in which the merge wrote tracked rows itself; nil where it did not.
  public let seq: Int64?
}

/// The default merge: carries a plan out, and moves the position, in one transaction, if the position is still where the
/// batch was read. A batch of two passes of one author, in one process or two, is therefore merged once.
///
/// - Emits when: a plan is committed and the targets outside of the file are told.
/// - Waits when: the store or such a target does.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one plan.
/// - Errors: none; a plan that fails is its source's to repeat.
public struct HistoryMerge: AsyncStage {
  private let history: History
  private let targets: [MergeTarget]
  private let observers: HistoryObservers?
  private let report: @Sendable (HistoryEvent) -> Void

  /// - Parameters:
  ///   - targets: what is merged into.
  ///   - observers: those registered for ``HistoryObservers/Phase/afterCommit`` are told.
  ///   - report: hears of targets that fail.
  public init(
    _ history: History, into targets: [MergeTarget], observers: HistoryObservers? = nil,
    report: @escaping @Sendable (HistoryEvent) -> Void = { _ in }
  ) {
    self.history = history
    self.targets = targets
    self.observers = observers
    self.report = report
  }

  public func process(_ element: MergePlan, _ emit: (HistoryMerged) -> Void) async {
    let batch = element.batch
    // All of it was put off.
    if element.end == batch.start || batch.isReplay && element.end < batch.end.seq {
      return batch.ticket.settle(.merged(element.end, delay: element.delay))
    }
    let merging = element.isFinished ? [] : element.transactions
    let seq: Int64?
    do {
      switch try await history.merge(element, merging, into: targets) {
      case .lostRace: return batch.ticket.settle(.lostRace)
      case .merged(let own): seq = own
      }
    } catch {
      return batch.fail(error)
    }
    if batch.isRehearsal { return batch.ticket.settle(.merged(element.end, delay: nil)) }
    for target in targets {
      guard let refresh = target.refresh, !merging.isEmpty else { continue }
      do {
        try await refresh(merging)
      } catch {
        report(.targetFailed(name: target.name, error))
      }
    }
    await observers?.tell(merging, of: batch.end, phase: .afterCommit)
    for rejected in element.rejected {
      report(.deadLettered(seq: rejected.seq, attempts: 0, reason: rejected.reason))
    }
    emit(HistoryMerged(transactions: merging, cursor: batch.isReplay ? batch.cursor : element.end, seq: seq))
    batch.ticket.settle(.merged(element.end, delay: element.delay))
  }
}
