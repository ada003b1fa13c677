/// Turns each element into the elements of a sequence (flat map). The sequence must be finite.
///
/// - Emits when: the sequence made from an element yields.
/// - Waits when: downstream waits, between one sequence and the next.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: all that one element is turned into, on top of the chunk; how much that is only the closure knows, so a graph
///   with this node has no memory bound.
/// - Errors: what the closure throws.
@frozen
public struct Expand<Input: Sendable, Elements: Sequence, Failure: Error>: Stage where Elements.Element: Sendable {
  public typealias Output = Elements.Element

  @usableFromInline let transform: @Sendable (Input) throws(Failure) -> Elements

  /// Emits what `transform` gives for each element.
  @inlinable
  public init(_ transform: @escaping @Sendable (Input) throws(Failure) -> Elements) { self.transform = transform }

  /// No bound: it depends on the closure.
  @inlinable public var holds: Int? { nil }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Input, _ emit: (Elements.Element) -> Void) throws(Failure) {
    for output in try transform(element) { emit(output) }
  }
}

extension Outlet {
  /// Turns each element into the elements of a finite sequence (flat map); see ``Expand``.
  @inlinable
  public consuming func expand<Elements: Sequence, Failure: Error>(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Elements
  ) -> Outlet<Elements.Element> where Elements.Element: Sendable {
    via(name, Expand(transform), supervision: supervision, file: file, line: line)
  }
}
