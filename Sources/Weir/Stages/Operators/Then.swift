/// Two stages as one: what the first emits, the second processes in the same call.
///
/// Made by ``Fused`` and by ``Stage/then(_:)``. When the second stage throws, what the first one still emits for the
/// same element is lost with it; when an element is retried, the first stage sees it again.
///
/// - Emits when: the second stage does.
/// - Waits when: downstream waits.
/// - Finishes when: either stage does; the second is finished after the first.
/// - Cancels when: either stage does.
/// - Memory: what both hold.
/// - Errors: those of both.
@frozen
public struct Then<First: Stage, Second: Stage, Failures: FailurePair>: Stage
where First.Output == Second.Input, Failures.First == First.Failure, Failures.Second == Second.Failure {
  public typealias Input = First.Input
  public typealias Output = Second.Output
  public typealias Failure = Failures.Failure

  @usableFromInline var first: First
  @usableFromInline var second: Second

  @inlinable
  init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: First.Input, _ emit: (Second.Output) -> Void) throws(Failures.Failure) {
    var failure: Second.Failure?
    do throws(First.Failure) {
      try first.process(element) { feed($0, to: &second, &failure, emit) }
    } catch {
      // The second stage's failure came first.
      if let failure { throw Failures.second(failure) }
      throw Failures.first(error)
    }
    if let failure { throw Failures.second(failure) }
  }

  @inlinable
  public mutating func finish(_ emit: (Second.Output) -> Void) throws(Failures.Failure) {
    var failure: Second.Failure?
    do throws(First.Failure) {
      try first.finish { feed($0, to: &second, &failure, emit) }
    } catch {
      if let failure { throw Failures.second(failure) }
      throw Failures.first(error)
    }
    if let failure { throw Failures.second(failure) }
    do throws(Second.Failure) {
      try second.finish(emit)
    } catch {
      throw Failures.second(error)
    }
  }

  @inlinable public var demand: Int { Swift.min(first.demand, second.demand) }
  @inlinable public var held: Int { first.held &+ second.held }
  @inlinable public var isOneToOne: Bool { first.isOneToOne && second.isOneToOne }
  @inlinable public var faults: [String] { first.faults + second.faults }

  @inlinable public var holds: Int? {
    guard let first = first.holds, let second = second.holds else { return nil }
    let (sum, overflow) = first.addingReportingOverflow(second)
    return overflow ? nil : sum
  }
}

/// Hands an element to the next stage, unless that has failed or wants no more. A failure is kept for the caller: the
/// closure in which this is called cannot throw.
@inlinable
@inline(__always)
func feed<Next: Stage>(
  _ element: Next.Input, to next: inout Next, _ failure: inout Next.Failure?, _ emit: (Next.Output) -> Void
) {
  guard failure == nil, next.demand > 0 else { return }
  do throws(Next.Failure) {
    try next.process(element, emit)
  } catch {
    failure = error
  }
}

extension Stage {
  /// This stage followed by another, as one stage.
  @inlinable
  public func then<Next: Stage>(_ next: Next) -> Then<Self, Next, NeitherFails>
  where Next.Input == Output, Failure == Never, Next.Failure == Never { Then(self, next) }

  /// This stage followed by another, as one stage.
  @inlinable
  public func then<Next: Stage>(_ next: Next) -> Then<Self, Next, FirstFails<Failure>>
  where Next.Input == Output, Next.Failure == Never { Then(self, next) }

  /// This stage followed by another, as one stage.
  @inlinable
  public func then<Next: Stage>(_ next: Next) -> Then<Self, Next, SecondFails<Next.Failure>>
  where Next.Input == Output, Failure == Never { Then(self, next) }

  /// This stage followed by another, as one stage.
  @inlinable
  public func then<Next: Stage>(_ next: Next) -> Then<Self, Next, EitherFails<Failure, Next.Failure>>
  where Next.Input == Output { Then(self, next) }
}
