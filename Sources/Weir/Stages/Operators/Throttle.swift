/// Which element of an interval a ``Throttle`` lets through.
public enum ThrottleChoice: Sendable, Hashable {
  /// The first; what follows within the interval is left out.
  case first
  /// The newest, when the interval is over. Nothing is kept longer than that: the end of the interval is a deadline of
  /// its own, it does not wait for another element.
  case latest
}

/// Lets at most one element through an interval.
///
/// The first element after a quiet time goes out at once and begins an interval; so does each later one that goes out.
/// Two elements are therefore never closer together than the interval.
///
/// - Emits when: an element arrives and no interval is going on; with ``ThrottleChoice/latest`` also at the end of an
///   interval in which one arrived.
/// - Waits when: downstream waits.
/// - Finishes when: its input does, after an element that waits for the end of its interval: that one goes out at once.
/// - Cancels when: downstream does.
/// - Memory: one element.
/// - Errors: none; an interval of 0 or less is a fault of the blueprint.
@frozen
public struct Throttle<Element: Sendable>: TimedStage {
  @usableFromInline let interval: Duration
  @usableFromInline let choice: ThrottleChoice
  @usableFromInline var pending: Element?
  /// End of the interval that is going on.
  @usableFromInline var intervalEnd: Duration?

  /// Emits one element in each `interval`.
  @inlinable
  public init(for interval: Duration, emitting choice: ThrottleChoice = .latest) {
    self.interval = interval
    self.choice = choice
  }

  @inlinable
  public mutating func process(_ element: Element, at now: Duration, _ emit: (Element) -> Void) {
    if let intervalEnd, now < intervalEnd {
      if choice == .latest { pending = element }
    } else {
      pending = nil
      intervalEnd = now + interval
      emit(element)
    }
  }

  @inlinable public var deadline: Duration? { pending == nil ? nil : intervalEnd }

  @inlinable
  public mutating func wake(at now: Duration, _ emit: (Element) -> Void) {
    guard let element = pending.take() else { return }
    intervalEnd = now + interval
    emit(element)
  }

  @inlinable
  public mutating func finish(at now: Duration, _ emit: (Element) -> Void) {
    if let element = pending.take() { emit(element) }
  }

  @inlinable public var held: Int { pending == nil ? 0 : 1 }
  @inlinable public var holds: Int? { 1 }
  @inlinable public var faults: [String] { durationFaults(interval, "throttling") }
}

extension Outlet {
  /// Lets at most one element through an interval; see ``Throttle``.
  @inlinable
  public consuming func throttle(
    _ name: String, for interval: Duration, emitting choice: ThrottleChoice = .latest, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Outlet<Element> {
    via(name, Throttle(for: interval, emitting: choice), file: file, line: line)
  }
}
