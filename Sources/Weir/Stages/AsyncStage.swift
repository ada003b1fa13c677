/// A step that may suspend for each element: a lookup, a network call, a write.
///
/// A value, copied for every run and for every parallel worker; calls on one copy never overlap. What a call emits is
/// sent on when it returns, and with it the fate of its element is decided: one that made nothing counts as filtered. So it
/// may remember what it learned, but not keep elements to emit them later, where they are tracked: a ``Stage`` says what it
/// holds, a ``Process`` settles an element when it asks for the next. What `finish` emits counts as made by the stage.
public protocol AsyncStage<Input, Output>: GraphStage {
  associatedtype Input
  associatedtype Output
  /// What the stage may throw; inferred from `throws(…)`.
  associatedtype Failure: Error = Never

  /// Handles one element.
  mutating func process(_ element: Input, _ emit: (Output) -> Void) async throws(Failure)

  /// Called once after the last element of this copy, unless the run is aborted.
  mutating func finish(_ emit: (Output) -> Void) async throws(Failure)

  /// The most elements that one call emits beyond a chunk; nil when there is no such bound. The memory bound of a blueprint
  /// rests on it. Default 0.
  var holds: Int? { get }

  /// What is wrong with the stage's parameters, in words. Default none.
  var faults: [String] { get }
}

extension AsyncStage {
  @inlinable public mutating func finish(_ emit: (Output) -> Void) async throws(Failure) {}
  @inlinable public var holds: Int? { 0 }
  @inlinable public var faults: [String] { [] }
}

/// A step that may suspend, working on all that is ready at once: a write of many rows, a request with many ids.
///
/// As ``AsyncStage``, but a call gets between one and `maximum` elements: whatever was waiting.
public protocol AsyncChunkStage<Input, Output>: GraphStage {
  associatedtype Input
  associatedtype Output
  associatedtype Failure: Error = Never

  /// Most elements of one call; less than 1 is a fault of the blueprint.
  var maximum: Int { get }

  /// Handles the elements that were ready, oldest first.
  mutating func process(_ elements: [Input], _ emit: (Output) -> Void) async throws(Failure)

  /// Called once after the last element, unless the run is aborted.
  mutating func finish(_ emit: (Output) -> Void) async throws(Failure)

  /// The most elements that one call emits beyond a chunk; nil when there is no such bound. The memory bound of a blueprint
  /// rests on it. Default 0.
  var holds: Int? { get }

  /// What is wrong with the stage's parameters, in words. Default none.
  var faults: [String] { get }
}

extension AsyncChunkStage {
  @inlinable public var maximum: Int { 256 }
  @inlinable public mutating func finish(_ emit: (Output) -> Void) async throws(Failure) {}
  @inlinable public var holds: Int? { 0 }
  @inlinable public var faults: [String] { [] }

  /// The stage's own faults, and that of a maximum which lets no call happen.
  @usableFromInline var allFaults: [String] {
    maximum > 0 ? faults : faults + ["calls with at most \(maximum) elements can never happen; use 1 or more"]
  }
}

/// How many calls of an ``AsyncStage`` may be under way at once, and in what order results leave.
public enum Parallelism<Input: Sendable>: Sendable {
  /// One call at a time.
  case serial
  /// Up to `workers` calls; results leave in the order of the inputs.
  case ordered(Int)
  /// Up to `workers` calls; results leave as they come.
  case unordered(Int)
  /// Fixed lanes; elements with the same key stay in order, a slow key delays only its lane.
  case lanes(Int, by: @Sendable (Input) -> UInt64)

  /// Fixed lanes by a text key, hashed the same in every process.
  public static func lanes(_ count: Int, by key: @escaping @Sendable (Input) -> String) -> Parallelism {
    .lanes(count, by: { StableHash.hash(key($0)) })
  }

  @usableFromInline var workers: Int {
    switch self {
    case .serial: 1
    case .ordered(let count), .unordered(let count), .lanes(let count, _): count
    }
  }

  /// As ``holds``, where each worker has `each` more in hand.
  @usableFromInline
  func holds(each: Int) -> Int {
    let (more, isTooMany) = each.multipliedReportingOverflow(by: usableWorkers)
    let (sum, isOver) = holds.addingReportingOverflow(isTooMany ? .max : more)
    return isOver ? .max : sum
  }

  /// Most elements in the hands of the workers and in the links that feed them.
  @usableFromInline var holds: Int {
    let workers = usableWorkers
    return switch self {
    case .serial: 0
    // Two each in the shared link, one each at work.
    case .unordered: workers * 3
    // The same link, and a window of two each that are finished or under way.
    case .ordered: workers * 4
    // A link each, and as much again taken from it.
    case .lanes: workers * laneLimit * 2
    }
  }

  /// Most elements that wait for one lane.
  @usableFromInline var laneLimit: Int { 16 }

  /// The number of workers to build with, also where it is a fault.
  @usableFromInline var usableWorkers: Int { min(max(1, workers), Self.mostWorkers) }

  private static var mostWorkers: Int { 1_024 }

  @usableFromInline var faults: [String] {
    if workers > Self.mostWorkers { return ["\(workers) parallel calls are more than \(Self.mostWorkers)"] }
    return workers > 0 ? [] : ["\(workers) parallel calls can never make progress; use 1 or more"]
  }
}
