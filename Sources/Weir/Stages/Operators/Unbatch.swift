/// Takes batches apart: emits the elements of each sequence that arrives, in order.
///
/// - Emits when: a sequence that is not empty arrives.
/// - Waits when: downstream waits, between one sequence and the next.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one sequence, on top of the chunk.
/// - Errors: none.
@frozen
public struct Unbatch<Elements: Sequence & Sendable>: Stage where Elements.Element: Sendable {
  /// Emits the members of each batch.
  @inlinable
  public init() {}

  @inlinable
  @inline(__always)
  public mutating func process(_ elements: Elements, _ emit: (Elements.Element) -> Void) {
    for element in elements { emit(element) }
  }
}

extension Outlet where Element: Sequence, Element.Element: Sendable {
  /// Takes batches apart; see ``Unbatch``.
  @inlinable
  public consuming func unbatch(
    _ name: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element.Element> {
    via(name, Unbatch<Element>(), file: file, line: line)
  }
}
