/// Turns each element into one other, or into none where the closure answers nil.
///
/// - Emits when: the closure answers with a value.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: what the closure throws.
@frozen
public struct CompactMap<Input: Sendable, Output: Sendable, Failure: Error>: Stage {
  @usableFromInline let transform: @Sendable (Input) throws(Failure) -> Output?

  /// Drops the elements for which `transform` gives nil.
  @inlinable
  public init(_ transform: @escaping @Sendable (Input) throws(Failure) -> Output?) { self.transform = transform }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Input, _ emit: (Output) -> Void) throws(Failure) {
    if let output = try transform(element) { emit(output) }
  }
}

extension Outlet {
  /// Turns each element into one other, or into none where the closure answers nil; see ``CompactMap``.
  @inlinable
  public consuming func compactMap<Output: Sendable, Failure: Error>(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Output?
  ) -> Outlet<Output> {
    via(name, CompactMap(transform), supervision: supervision, file: file, line: line)
  }
}
