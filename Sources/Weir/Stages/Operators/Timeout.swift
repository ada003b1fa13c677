/// No element arrived in time.
public struct TimedOut: CodedError, Hashable, CustomStringConvertible {
  public let code = "timed-out"
  /// How long nothing came.
  public let after: Duration
  /// Whether not even a first element had come.
  public let isInitial: Bool

  @usableFromInline
  init(after: Duration, isInitial: Bool) {
    self.after = after
    self.isInitial = isInitial
  }

  public var description: String {
    isInitial
      ? "no first element came within \(after); check that the source is connected, or allow more time for the first"
      : "no element came for \(after); check the source, or allow more time"
  }
}

/// Passes elements on, and fails when none arrives for a time.
///
/// The time counts from the start of the node and from each element. An element that arrives exactly when it is up is in
/// time, and so is one that was there before the stage could run.
///
/// - Emits when: an element arrives.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: it has failed, or downstream cancels.
/// - Memory: none.
/// - Errors: ``TimedOut``; with the supervision `skip` or `retry` it is counted, and the wait begins anew. A time of 0 or
///   less is a fault of the blueprint.
@frozen
public struct Timeout<Element: Sendable>: TimedStage {
  @usableFromInline let time: Duration
  @usableFromInline let firstTime: Duration?
  @usableFromInline var isFirst = true
  @usableFromInline var timeUp: Duration?

  /// - Parameters:
  ///   - time: longest time without an element.
  ///   - first: longest time before the first element; nil for the same.
  @inlinable
  public init(after time: Duration, first: Duration? = nil) {
    self.time = time
    firstTime = first
  }

  @inlinable
  public mutating func start(at now: Duration, look: @escaping @Sendable () -> Void) { timeUp = now + wait }

  @inlinable
  public mutating func process(_ element: Element, at now: Duration, _ emit: (Element) -> Void) throws(TimedOut) {
    isFirst = false
    timeUp = now + wait
    emit(element)
  }

  @inlinable public var deadline: Duration? { timeUp }

  @inlinable
  public mutating func wake(at now: Duration, _ emit: (Element) -> Void) throws(TimedOut) {
    let error = TimedOut(after: wait, isInitial: isFirst)
    timeUp = now + wait
    throw error
  }

  @inlinable var wait: Duration { isFirst ? firstTime ?? time : time }

  @inlinable public var isOneToOne: Bool { true }

  @inlinable public var faults: [String] {
    durationFaults(time, "waiting for an element")
      + (firstTime.map { durationFaults($0, "waiting for the first element") } ?? [])
  }
}

extension Outlet {
  /// Passes elements on, and fails when none arrives for a time; see ``Timeout``.
  @inlinable
  public consuming func timeout(
    _ name: String, after time: Duration, first: Duration? = nil, supervision: Supervision = .fail,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, Timeout(after: time, first: first), supervision: supervision, file: file, line: line)
  }
}
