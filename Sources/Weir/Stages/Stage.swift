/// A synchronous step: takes one element, emits none, one or many.
///
/// A stage is a value; every run works on its own copy, and `process` and `finish` of one copy never overlap. Write it
/// as a `@frozen public struct` with `@inlinable` members when it lives in a library: the loop over a chunk is then
/// compiled for it in the client.
///
/// Waiting is not for stages: use ``AsyncStage`` for work that suspends, ``TimedStage`` for time.
public protocol Stage<Input, Output>: GraphStage {
  associatedtype Input
  associatedtype Output
  /// What `process` and `finish` may throw; inferred from the `throws(…)` of `process`, `Never` where it does not throw.
  /// Where only `finish` throws, write the same `throws(…)` on `process`: the compiler would take such a `finish` for
  /// another method, and never call it.
  associatedtype Failure: Error = Never

  /// Handles one element. Everything emitted before an error is thrown has been emitted.
  mutating func process(_ element: Input, _ emit: (Output) -> Void) throws(Failure)

  /// Called once after the last element, unless the run is aborted: emit what is still held.
  mutating func finish(_ emit: (Output) -> Void) throws(Failure)

  /// How many more elements the stage wants: upstream is asked for no more, and 0 ends the stage. Default: no limit.
  var demand: Int { get }

  /// How many elements taken in are held for later output. Default 0.
  var held: Int { get }

  /// The most elements the stage may ever hold, those among them that one call emits beyond a chunk; nil when there is no such
  /// bound: a stage that makes any number of elements of one has none. The memory bound of a blueprint rests on it. Default 0.
  var holds: Int? { get }

  /// Whether exactly one element is emitted for each one taken in. Default false.
  var isOneToOne: Bool { get }

  /// What is wrong with the stage's parameters, in words; blueprints refuse such a stage. Default none.
  var faults: [String] { get }
}

extension Stage {
  @inlinable public mutating func finish(_ emit: (Output) -> Void) throws(Failure) {}
  @inlinable public var demand: Int { .max }
  @inlinable public var held: Int { 0 }
  @inlinable public var holds: Int? { 0 }
  @inlinable public var isOneToOne: Bool { false }
  @inlinable public var faults: [String] { [] }
}
