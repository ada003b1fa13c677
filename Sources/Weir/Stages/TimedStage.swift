/// A synchronous step that also acts when time passes: debounce, batches by time, rate limits.
///
/// A pure state machine: it is told the time with each element, says at what time it wants to be woken, and never waits
/// itself. Times are offsets of the run's clock.
public protocol TimedStage<Input, Output>: GraphStage {
  associatedtype Input
  associatedtype Output
  associatedtype Failure: Error = Never

  /// Handles one element that was there at `now`.
  mutating func process(_ element: Input, at now: Duration, _ emit: (Output) -> Void) throws(Failure)

  /// The next time at which the stage wants to act; nil for none. It is woken when the clock is beyond it, so an
  /// element that arrives exactly at the deadline comes first. A stage that was woken, emitted nothing and still names the
  /// same deadline is not woken for it again: it would take a core for itself.
  var deadline: Duration? { get }

  /// The deadline has passed.
  mutating func wake(at now: Duration, _ emit: (Output) -> Void) throws(Failure)

  /// Called once after the last element, unless the run is aborted.
  mutating func finish(at now: Duration, _ emit: (Output) -> Void) throws(Failure)

  /// Whether the stage can take another element now; while false it is only woken. Default true. After the last element
  /// it is woken until it is true again, then finished.
  var acceptsInput: Bool { get }

  /// Called before the first element with the time and with a function that makes the driver look at `deadline` and
  /// `acceptsInput` again: for stages that are adjusted from outside.
  mutating func start(at now: Duration, look: @escaping @Sendable () -> Void)

  /// As ``Stage/held``.
  var held: Int { get }
  /// As ``Stage/holds``.
  var holds: Int? { get }
  /// As ``Stage/isOneToOne``.
  var isOneToOne: Bool { get }
  /// As ``Stage/faults``.
  var faults: [String] { get }
}

extension TimedStage {
  @inlinable public var acceptsInput: Bool { true }
  @inlinable public mutating func start(at now: Duration, look: @escaping @Sendable () -> Void) {}
  @inlinable public mutating func finish(at now: Duration, _ emit: (Output) -> Void) throws(Failure) {}
  @inlinable public var held: Int { 0 }
  @inlinable public var holds: Int? { 0 }
  @inlinable public var isOneToOne: Bool { false }
  @inlinable public var faults: [String] { [] }
}
