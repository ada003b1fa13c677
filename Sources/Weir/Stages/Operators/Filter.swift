/// Lets through the elements that satisfy a condition.
///
/// - Emits when: an element arrives for which the closure answers true.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: what the closure throws.
@frozen
public struct Filter<Element: Sendable, Failure: Error>: Stage {
  @usableFromInline let isIncluded: @Sendable (Element) throws(Failure) -> Bool

  /// Keeps the elements for which `isIncluded` is true.
  @inlinable
  public init(_ isIncluded: @escaping @Sendable (Element) throws(Failure) -> Bool) { self.isIncluded = isIncluded }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: (Element) -> Void) throws(Failure) {
    if try isIncluded(element) { emit(element) }
  }
}

extension Outlet {
  /// Lets through the elements that satisfy a condition; see ``Filter``.
  @inlinable
  public consuming func filter<Failure: Error>(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ isIncluded: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> Outlet<Element> {
    via(name, Filter(isIncluded), supervision: supervision, file: file, line: line)
  }
}
