import Synchronization
import WeirStore

/// What the opening of a history does to its file, on the writer's thread, and what it has found there.
final class Installation: Sendable {
  private struct State {
    var earlier = EarlierState()
    var fault: HistoryError?
    var gaps: [HistoryGap] = []
    var recursions: [TriggerRecursion] = []
  }

  private let schema: Schema
  private let tables: [TrackedTable]
  private let state = Mutex(State())

  init(schema: Schema, tables: [TrackedTable]) {
    self.schema = schema
    self.tables = tables
  }

  /// What is wrong with the declarations.
  var fault: HistoryError? { state.withLock(\.fault) }
  /// What went unrecorded and was noted now.
  var gaps: [HistoryGap] { state.withLock(\.gaps) }
  /// What the owner should know.
  var notices: [HistoryNotice] {
    state.withLock { $0.gaps.map(HistoryNotice.gap) + $0.recursions.map(HistoryNotice.recursion) }
  }

  /// Before anything is changed.
  func look(at connection: Connection) throws(StoreError) {
    let earlier = try EarlierState(connection)
    state.withLock { $0.earlier = earlier }
  }

  /// Whether there is nothing to change.
  func isDone(on connection: Connection) throws(StoreError) -> Bool {
    guard try schema.isPrepared(connection) else { return false }
    return try RecordingInstaller.isUpToDate(tables, on: connection)
  }

  /// Makes what is to be made.
  func run(on connection: Connection) throws(StoreError) {
    let earlier = state.withLock(\.earlier)
    switch try RecordingInstaller.install(tables, on: connection, earlier: earlier) {
    case .success(let gaps):
      let recursions = try TriggerRecursion.all(on: connection)
      state.withLock { ($0.gaps, $0.recursions) = (gaps, recursions) }
    case .failure(let fault):
      state.withLock { $0.fault = fault }
      throw StoreError(.invalidInput, fault.detail)
    }
  }
}

/// What the opening of a history has found that is no failure, and that somebody should know of. See ``History/notices``.
public enum HistoryNotice: Sendable, Hashable, CustomStringConvertible {
  /// Changes went unrecorded before; it was noted now.
  case gap(HistoryGap)
  /// Triggers of the user may run into themselves.
  case recursion(TriggerRecursion)

  public var description: String {
    switch self {
    case .gap(let gap): gap.description
    case .recursion(let recursion): recursion.description
    }
  }
}
