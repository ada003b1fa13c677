/// Calls a closure with each element on its way and passes it on unchanged.
///
/// - Emits when: an element arrives.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: what the closure throws; the element is then not passed on.
@frozen
public struct Inspect<Element: Sendable, Failure: Error>: Stage {
  @usableFromInline let look: @Sendable (Element) throws(Failure) -> Void

  /// Calls `look` with each element.
  @inlinable
  public init(_ look: @escaping @Sendable (Element) throws(Failure) -> Void) { self.look = look }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: (Element) -> Void) throws(Failure) {
    try look(element)
    emit(element)
  }

  @inlinable public var isOneToOne: Bool { true }
}

extension Outlet {
  /// Calls a closure with each element on its way; see ``Inspect``.
  @inlinable
  public consuming func inspect<Failure: Error>(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ look: @escaping @Sendable (Element) throws(Failure) -> Void
  ) -> Outlet<Element> {
    via(name, Inspect(look), supervision: supervision, file: file, line: line)
  }
}
