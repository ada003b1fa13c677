/// Lets an element through when nothing has followed it for a time.
///
/// An element that arrives exactly when the time of the one before it is up takes its place and starts a new wait. One
/// that arrives later, while downstream was keeping the stage from running, does not: the one before it had its quiet
/// time and goes out first.
///
/// - Emits when: the quiet time has passed since the last element.
/// - Waits when: downstream waits.
/// - Finishes when: its input does, after the element that still waits: that one goes out at once.
/// - Cancels when: downstream does.
/// - Memory: one element.
/// - Errors: none; a time of 0 or less is a fault of the blueprint. When upstream fails, the waiting element is given up
///   and the failure is passed on.
@frozen
public struct Debounce<Element: Sendable>: TimedStage {
  @usableFromInline let quiet: Duration
  @usableFromInline var pending: Element?
  @usableFromInline var quietEnd: Duration = .zero

  /// Waits for `quiet` without an element before it emits the newest.
  @inlinable
  public init(for quiet: Duration) { self.quiet = quiet }

  @inlinable
  public mutating func process(_ element: Element, at now: Duration, _ emit: (Element) -> Void) {
    if let settled = pending, now > quietEnd { emit(settled) }
    pending = element
    quietEnd = now + quiet
  }

  @inlinable public var deadline: Duration? { pending == nil ? nil : quietEnd }

  @inlinable
  public mutating func wake(at now: Duration, _ emit: (Element) -> Void) {
    if let element = pending.take() { emit(element) }
  }

  @inlinable
  public mutating func finish(at now: Duration, _ emit: (Element) -> Void) {
    if let element = pending.take() { emit(element) }
  }

  @inlinable public var held: Int { pending == nil ? 0 : 1 }
  @inlinable public var holds: Int? { 1 }
  @inlinable public var faults: [String] { durationFaults(quiet, "debouncing") }
}

extension Outlet {
  /// Lets an element through when nothing has followed it for a time; see ``Debounce``.
  @inlinable
  public consuming func debounce(
    _ name: String, for quiet: Duration, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, Debounce(for: quiet), file: file, line: line)
  }
}
