/// Gathers elements into arrays until a time after the first of them, or up to a count or weight, whichever comes first.
///
/// While downstream does not ask, a batch whose time is up grows on, never beyond its count or weight.
///
/// - Emits when: `within` has passed since the first element of the batch, or ``Batch`` would.
/// - Waits when: downstream waits.
/// - Finishes when: its input does, after the last, possibly smaller batch.
/// - Cancels when: downstream does.
/// - Memory: one batch, as ``Batch`` says; with a time alone, as much as arrives in that time.
/// - Errors: none; a count, weight or time of 0 or less is a fault of the blueprint.
@frozen
public struct TimedBatch<Element: Sendable>: TimedStage {
  @usableFromInline var batch: Batch<Element>
  @usableFromInline let time: Duration
  @usableFromInline let includesEmpty: Bool
  @usableFromInline var flushTime: Duration?

  /// Batches up to a time, and up to a count where one is given.
  /// - Parameter includingEmpty: whether an empty batch is emitted when nothing came for that time.
  @inlinable
  public init(count: Int? = nil, within time: Duration, includingEmpty: Bool = false) {
    batch = Batch(maximumCount: count)
    self.time = time
    includesEmpty = includingEmpty
  }

  /// Batches up to a time, a weight, and a count where one is given.
  @inlinable
  public init(
    count: Int? = nil, weight: Int, by weigh: @escaping @Sendable (Element) -> Int, within time: Duration,
    includingEmpty: Bool = false
  ) {
    batch = Batch(count: count, weight: weight, by: weigh)
    self.time = time
    includesEmpty = includingEmpty
  }

  @inlinable public var deadline: Duration? { flushTime }

  @inlinable
  public mutating func start(at now: Duration, look: @escaping @Sendable () -> Void) { rest(at: now) }

  @inlinable
  public mutating func process(_ element: Element, at now: Duration, _ emit: ([Element]) -> Void) {
    let isOverdue = !batch.batch.isEmpty && flushTime.map { now > $0 } == true
    var isFirst = batch.batch.isEmpty
    batch.process(element) { full in
      isFirst = true
      emit(full)
    }
    if batch.batch.isEmpty {
      rest(at: now)
    } else if isFirst {
      flushTime = now + time
    } else if isOverdue {
      wake(at: now, emit)
    }
  }

  @inlinable
  public mutating func wake(at now: Duration, _ emit: ([Element]) -> Void) {
    if !batch.batch.isEmpty {
      batch.flush(emit)
    } else if includesEmpty {
      emit([])
    }
    rest(at: now)
  }

  @inlinable
  public mutating func finish(at now: Duration, _ emit: ([Element]) -> Void) {
    batch.finish(emit)
    flushTime = nil
  }

  /// The batch is empty.
  @inlinable
  mutating func rest(at now: Duration) { flushTime = includesEmpty ? now + time : nil }

  @inlinable public var held: Int { batch.held }
  @inlinable public var holds: Int? { batch.holds }
  @inlinable public var faults: [String] { batch.faults + durationFaults(time, "batching") }
}

extension Outlet {
  /// Gathers elements into arrays until a time after the first of them, or up to a count; see ``TimedBatch``.
  @inlinable
  public consuming func batch(
    _ name: String, count: Int? = nil, within time: Duration, includingEmpty: Bool = false,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<[Element]> {
    via(name, TimedBatch(count: count, within: time, includingEmpty: includingEmpty), file: file, line: line)
  }

  /// Gathers elements into arrays until a time after the first of them, or up to a weight or count; see ``TimedBatch``.
  @inlinable
  public consuming func batch(
    _ name: String, count: Int? = nil, weight: Int, by weigh: @escaping @Sendable (Element) -> Int,
    within time: Duration, includingEmpty: Bool = false, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<[Element]> {
    let stage = TimedBatch(count: count, weight: weight, by: weigh, within: time, includingEmpty: includingEmpty)
    return via(name, stage, file: file, line: line)
  }
}
