/// Leaves out the first elements and passes on the rest. Leaving out 0 is allowed.
///
/// - Emits when: an element arrives after the first `count`.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: none; a negative count is a fault of the blueprint.
@frozen
public struct Drop<Element: Sendable>: Stage {
  @usableFromInline let count: Int
  @usableFromInline var left: Int

  /// Leaves out the first `count` elements.
  @inlinable
  public init(_ count: Int) {
    self.count = count
    left = count
  }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: (Element) -> Void) {
    if left > 0 { left &-= 1 } else { emit(element) }
  }

  @inlinable public var faults: [String] {
    count < 0 ? ["leaving out \(count) elements is not possible; use 0 or more"] : []
  }
}

/// Leaves out elements as long as a condition holds, and passes on everything from the first for which it fails.
///
/// - Emits when: an element arrives after the condition has failed, including the one for which it failed.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: what the closure throws.
@frozen
public struct DropWhile<Element: Sendable, Failure: Error>: Stage {
  @usableFromInline let isUnwanted: @Sendable (Element) throws(Failure) -> Bool
  @usableFromInline var isOpen = false

  /// Leaves out elements up to the first for which `isUnwanted` is false.
  @inlinable
  public init(_ isUnwanted: @escaping @Sendable (Element) throws(Failure) -> Bool) { self.isUnwanted = isUnwanted }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: (Element) -> Void) throws(Failure) {
    if !isOpen {
      if try isUnwanted(element) { return }
      isOpen = true
    }
    emit(element)
  }
}

extension Outlet {
  /// Leaves out the first `count` elements; see ``Drop``.
  @inlinable
  public consuming func drop(
    _ name: String, _ count: Int, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, Drop(count), file: file, line: line)
  }

  /// Leaves out elements as long as the closure answers true; see ``DropWhile``.
  @inlinable
  public consuming func dropWhile<Failure: Error>(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ isUnwanted: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> Outlet<Element> {
    via(name, DropWhile(isUnwanted), supervision: supervision, file: file, line: line)
  }
}
