/// Several stages as one node: `Fused { Decode(); Dedupe(by: \.key, remembering: 10_000); Filter { $0.isVisible } }`.
///
/// The whole chain is compiled into one loop. Up to about eight stages the optimiser does so; a longer list still works,
/// but is better written as two nodes. See ``Then`` for what is emitted, held and thrown.
///
/// - Emits when: the last stage does.
/// - Waits when: downstream waits.
/// - Finishes when: any of the stages does; later ones are finished after earlier ones.
/// - Cancels when: any of the stages does.
/// - Memory: what the stages hold.
/// - Errors: those of the stages. If one of them can fail, the whole fails with its error type; if several can, with
///   `any Error`. Supervision sees the chain as one stage: `restart` starts all of them afresh.
@frozen
public struct Fused<Content: Stage>: Stage {
  public typealias Input = Content.Input
  public typealias Output = Content.Output
  public typealias Failure = Content.Failure

  @usableFromInline var content: Content

  /// Runs the stages of the block one after another for each element.
  @inlinable
  public init(@FusedBuilder _ content: () -> Content) { self.content = content() }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Content.Input, _ emit: (Content.Output) -> Void) throws(Content.Failure) {
    try content.process(element, emit)
  }

  @inlinable
  public mutating func finish(_ emit: (Content.Output) -> Void) throws(Content.Failure) { try content.finish(emit) }

  @inlinable public var demand: Int { content.demand }
  @inlinable public var held: Int { content.held }
  @inlinable public var holds: Int? { content.holds }
  @inlinable public var isOneToOne: Bool { content.isOneToOne }
  @inlinable public var faults: [String] { content.faults }
}

/// Chains the stages listed in a ``Fused``.
@resultBuilder
public enum FusedBuilder {
  @inlinable
  public static func buildPartialBlock<First: Stage>(first: First) -> First { first }

  @inlinable
  public static func buildPartialBlock<First: Stage, Next: Stage>(
    accumulated: First, next: Next
  ) -> Then<First, Next, NeitherFails>
  where First.Output == Next.Input, First.Failure == Never, Next.Failure == Never { accumulated.then(next) }

  @inlinable
  public static func buildPartialBlock<First: Stage, Next: Stage>(
    accumulated: First, next: Next
  ) -> Then<First, Next, FirstFails<First.Failure>>
  where First.Output == Next.Input, Next.Failure == Never { accumulated.then(next) }

  @inlinable
  public static func buildPartialBlock<First: Stage, Next: Stage>(
    accumulated: First, next: Next
  ) -> Then<First, Next, SecondFails<Next.Failure>>
  where First.Output == Next.Input, First.Failure == Never { accumulated.then(next) }

  @inlinable
  public static func buildPartialBlock<First: Stage, Next: Stage>(
    accumulated: First, next: Next
  ) -> Then<First, Next, EitherFails<First.Failure, Next.Failure>>
  where First.Output == Next.Input { accumulated.then(next) }
}
