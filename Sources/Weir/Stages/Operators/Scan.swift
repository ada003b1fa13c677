/// Combines each element with everything before it and emits what has come about so far.
///
/// - Emits when: an element arrives; the initial value is not emitted.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one value.
/// - Errors: what the closure throws; changes it had made to the value before it threw remain.
@frozen
public struct Scan<Input: Sendable, Output: Sendable, Failure: Error>: Stage {
  @usableFromInline var value: Output
  @usableFromInline let combine: @Sendable (inout Output, Input) throws(Failure) -> Void

  /// Starts from `initial`; emits what `combine` has made of it after each element.
  @inlinable
  public init(_ initial: Output, _ combine: @escaping @Sendable (inout Output, Input) throws(Failure) -> Void) {
    value = initial
    self.combine = combine
  }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Input, _ emit: (Output) -> Void) throws(Failure) {
    try combine(&value, element)
    emit(value)
  }

  @inlinable public var isOneToOne: Bool { true }
}

extension Outlet {
  /// Combines each element with everything before it and emits what has come about so far; see ``Scan``.
  @inlinable
  public consuming func scan<Output: Sendable, Failure: Error>(
    _ name: String, _ initial: Output, supervision: Supervision = .fail, file: StaticString = #fileID,
    line: UInt = #line, _ combine: @escaping @Sendable (inout Output, Element) throws(Failure) -> Void
  ) -> Outlet<Output> {
    via(name, Scan(initial, combine), supervision: supervision, file: file, line: line)
  }
}
