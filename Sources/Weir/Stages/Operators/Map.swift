/// Turns each element into one other.
///
/// - Emits when: an element arrives.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: what the closure throws.
@frozen
public struct Map<Input: Sendable, Output: Sendable, Failure: Error>: Stage {
  @usableFromInline let transform: @Sendable (Input) throws(Failure) -> Output

  /// Emits what `transform` makes of each element.
  @inlinable
  public init(_ transform: @escaping @Sendable (Input) throws(Failure) -> Output) { self.transform = transform }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Input, _ emit: (Output) -> Void) throws(Failure) {
    emit(try transform(element))
  }

  @inlinable public var isOneToOne: Bool { true }
}

extension Outlet {
  /// Turns each element into one other; see ``Map``.
  @inlinable
  public consuming func map<Output: Sendable, Failure: Error>(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Output
  ) -> Outlet<Output> {
    via(name, Map(transform), supervision: supervision, file: file, line: line)
  }
}
