import Synchronization
import Weir
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Follows what other authors write to a store and merges it, with observers and merge hooks: the graph of ``HistorySource``,
/// ``HistoryObservers``, ``HistoryMergeHooks`` and ``HistoryMerge``, ready made, under the names that users of
/// PersistentHistoryTrackingKit know.
///
/// A pass begins when it starts (so a backlog does not wait for the next change) and whenever something is recorded. The
/// tracker ends when it is released.
///
/// Memory: one page, beside what the history itself takes.
public final class HistoryTracker: Sendable {
  private enum Run {
    case stopped
    case running(Task<Void, Never>, number: Int)
  }

  private let history: History
  private let author: String
  private let observers: HistoryObservers
  private let hooks: HistoryMergeHooks
  private let flow: Blueprint<Void>
  private let log: HistoryLog
  private let task = Mutex<Run>(.stopped)
  private let starts = Atomic<Int>(0)
  private let listeners: HistoryEvents

  /// - Parameters:
  ///   - history: the store.
  ///   - currentAuthor: who follows; registered as a reader that begins now, if it is new.
  ///   - role: as which: a consumer, or an exporter that carries changes out of the file.
  ///   - allAuthors: whose transactions are followed; empty for everybody else. Clients that do not say who they are always
  ///     are. One that has not registered yet holds no cleaning back.
  ///   - batchAuthors: authors that only write, so that a cleaning does not wait for them.
  ///   - targets: what is merged into.
  ///   - cleanStrategy: when history is deleted behind the passes.
  ///   - keeping: what a cleaning keeps.
  ///   - rebuild: makes the rows of the reader anew where its position is void.
  ///   - logger: takes what is said, as far as `logLevel` says.
  ///   - autoStart: whether to start at once. A backlog is then merged at once as well.
  ///   - prepare: registers the observers and hooks that the first pass must not miss, before it starts.
  /// - Throws: ``HistoryError`` of kind `noForeignAuthor`, `roleConflict`, `retired` without a rebuild, or `store`.
  public init(
    _ history: History, currentAuthor: String, role: HistoryRole = .consumer, allAuthors: [String] = [],
    batchAuthors: [String] = [],
    targets: [MergeTarget] = [], cleanStrategy: CleanStrategy = .none, keeping: HistoryKeeping = HistoryKeeping(),
    rebuild: (@Sendable (Connection) throws -> Void)? = nil, clock: GraphClock = .continuous,
    logger: any HistoryLogger = PrintingHistoryLogger(), logLevel: HistoryLogLevel = .important, autoStart: Bool = true,
    prepare: (HistoryTracker) throws -> Void = { _ in }
  ) async throws {
    self.history = history
    author = currentAuthor
    let log = HistoryLog(logger: logger, level: logLevel, author: currentAuthor)
    self.log = log
    let listeners = HistoryEvents()
    self.listeners = listeners
    let report: @Sendable (HistoryEvent) -> Void = { event in
      log.say(event)
      listeners.tell(event)
    }
    for notice in history.notices { log.say(.notice, .important, "\(notice)") }
    var settings = HistorySource.Settings()
    if !allAuthors.isEmpty { settings.filter = try .only(allAuthors, but: currentAuthor) }
    settings.cleaning = cleanStrategy
    settings.keeping = keeping
    settings.rebuild = rebuild
    settings.clock = clock
    settings.report = report
    for name in batchAuthors where name != currentAuthor { try await history.register(name, as: .writeOnly) }
    do throws(HistoryError) {
      try await history.register(currentAuthor, as: role)
    } catch {
      // Whoever comes back after it was retired rebuilds, in the first pass.
      guard error.kind == .retired, rebuild != nil else { throw error }
    }
    let observers = HistoryObservers(clock: clock, report: report)
    let hooks = HistoryMergeHooks(targets: targets.map(\.name), clock: clock, report: report)
    self.observers = observers
    self.hooks = hooks
    let source = HistorySource(history, author: currentAuthor, settings: settings)
    flow = try Blueprint("history of \(currentAuthor)") { graph in
      graph.source("history", source)
        .via("observers", observers)
        .via("merge hooks", hooks)
        .via("default merge", HistoryMerge(history, into: targets, observers: observers, report: report))
        .ignore("merged")
    }
    try prepare(self)
    if autoStart { start() }
  }

  deinit { _ = cancel() }

  /// What the passes tell from now on: failures, dead letters, slow hooks, cleanings. A listener that is slow loses the
  /// oldest of 256.
  public func events() -> AsyncStream<HistoryEvent> { listeners.stream() }

  // MARK: Start and stop

  /// Starts to follow, with a pass at once. One that runs already goes on.
  public func start() {
    let isNew = task.withLock { run in
      guard case .stopped = run else { return false }
      let number = starts.add(1, ordering: .relaxed).newValue
      // The task must not hold the tracker, or releasing it would end nothing.
      let task = Task { [flow, log, listeners, weak self] in
        await Self.follow(flow, log, listeners)
        self?.ended(number)
      }
      run = .running(task, number: number)
      return true
    }
    if isNew { log.say(.info, .important, "started") }
  }

  /// Stops to follow. The pass in hand is given up before its merge or complete after it; nothing is lost either way.
  public func stop() {
    if cancel() != nil { log.say(.info, .important, "stopped") }
  }

  /// Stops to follow, and returns when the pass in hand has ended.
  public func stopAndWait() async {
    guard let task = cancel() else { return }
    await task.value
    log.say(.info, .important, "stopped")
  }

  private func cancel() -> Task<Void, Never>? {
    task.withLock { run in
      guard case .running(let task, _) = run else { return nil }
      run = .stopped
      task.cancel()
      return task
    }
  }

  /// A run that has ended by itself may be started again.
  private func ended(_ number: Int) {
    task.withLock { run in
      if case .running(_, number) = run { run = .stopped }
    }
  }

  private static func follow(_ flow: Blueprint<Void>, _ log: HistoryLog, _ listeners: HistoryEvents) async {
    do {
      try await flow.run { live in
        await withTaskCancellationHandler {
          await live.waitUntilEnded()
        } onCancel: {
          live.abort()
        }
      }
    } catch is CancellationError {
    } catch {
      log.say(.ended(error))
      listeners.tell(.ended(error))
    }
  }

  // MARK: Observers

  /// Registers an observer; see ``HistoryObservers/register(entity:operation:columns:phase:name:budget:_:)``.
  @discardableResult
  public func registerObserver(
    entityName: String, operation: HistoryOperation, columns: Set<String>? = nil,
    phase: HistoryObservers.Phase = .beforeMerge, budget: HookBudget = HookBudget(),
    _ callback: @escaping HistoryObservers.Callback
  ) -> UUID {
    log.say(.info, .detailed, "observes \(operation) of \(entityName)")
    return observers.register(
      entity: entityName, operation: operation, columns: columns, phase: phase,
      name: "observer of \(operation) of \(entityName)", budget: budget, callback)
  }

  /// Removes one observer.
  ///
  /// - Returns: whether it was registered.
  @discardableResult
  public func removeObserver(id: UUID) -> Bool { observers.remove(id) }

  /// Removes all observers of an entity and operation.
  public func removeObserver(entityName: String, operation: HistoryOperation) {
    observers.removeAll(entity: entityName, operation: operation)
  }

  /// Removes all observers.
  public func removeAllObservers() { observers.removeAll() }

  // MARK: Merge hooks

  /// Registers a merge hook behind all others, or right before one.
  ///
  /// - Throws: ``HistoryError`` of kind `unknownHook`.
  @discardableResult
  public func registerMergeHook(
    before anchor: UUID? = nil, name: String = "merge hook", budget: HookBudget = HookBudget(),
    _ hook: @escaping HistoryMergeHooks.Hook
  ) throws(HistoryError) -> UUID {
    log.say(.info, .detailed, "registers \(name)")
    guard let anchor else { return hooks.register(name: name, budget: budget, hook) }
    return try hooks.register(before: anchor, name: name, budget: budget, hook)
  }

  /// Removes one merge hook.
  ///
  /// - Returns: whether it was registered.
  @discardableResult
  public func removeMergeHook(id: UUID) -> Bool { hooks.remove(id) }

  /// Removes all merge hooks.
  public func removeAllMergeHooks() { hooks.removeAll() }

  // MARK: Cleaning

  /// Cleans by hand, by the same rules as the passes do.
  public func cleaner(keeping: HistoryKeeping = HistoryKeeping()) -> HistoryCleaner {
    HistoryCleaner(history: history, keeping: keeping, log: log)
  }
}

/// Cleans the history by hand. By the same function as the passes: it never takes what a live reader has not read.
public struct HistoryCleaner: Sendable {
  let history: History
  let keeping: HistoryKeeping
  let log: HistoryLog

  /// Deletes what may go.
  ///
  /// - Throws: ``HistoryError`` of kind `store`.
  @discardableResult
  public func clean() async throws(HistoryError) -> HistoryCleaning {
    let cleaning = try await history.clean(keeping: keeping)
    log.say(
      .info, .detailed, "cleaned by hand: \(cleaning.transactions) transactions, held back by \(cleaning.heldBack)")
    return cleaning
  }

  /// What ``clean()`` would delete, and who holds back the rest.
  public func forecast() async throws(HistoryError) -> HistoryCleaning {
    try await history.forecastCleaning(keeping: keeping)
  }
}
