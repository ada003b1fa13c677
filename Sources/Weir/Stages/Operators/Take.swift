/// Passes on the first elements and then ends.
///
/// Upstream is never asked for more than is still wanted. Taking 0 elements is allowed: the stage ends at once.
///
/// - Emits when: an element arrives.
/// - Waits when: downstream waits.
/// - Finishes when: the last wanted element has been emitted, or its input does.
/// - Cancels when: the last wanted element has been emitted, or downstream cancels.
/// - Memory: none.
/// - Errors: none; a negative count is a fault of the blueprint.
@frozen
public struct Take<Element: Sendable>: Stage {
  @usableFromInline let count: Int
  @usableFromInline var left: Int

  /// Lets the first `count` elements through.
  @inlinable
  public init(_ count: Int) {
    self.count = count
    left = count
  }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: (Element) -> Void) {
    guard left > 0 else { return }
    left &-= 1
    emit(element)
  }

  @inlinable public var demand: Int { left > 0 ? left : 0 }

  @inlinable public var faults: [String] {
    count < 0 ? ["taking \(count) elements is not possible; use 0 or more"] : []
  }
}

/// Passes on elements until a condition fails for one, and then ends. That one is not passed on.
///
/// - Emits when: an element arrives for which the closure answers true.
/// - Waits when: downstream waits.
/// - Finishes when: the closure answers false, or its input finishes.
/// - Cancels when: the closure answers false, or downstream cancels.
/// - Memory: none.
/// - Errors: what the closure throws; the stage is then still open.
@frozen
public struct TakeWhile<Element: Sendable, Failure: Error>: Stage {
  @usableFromInline let isWanted: @Sendable (Element) throws(Failure) -> Bool
  @usableFromInline var isOpen = true

  /// Lets elements through up to the first for which `isWanted` is false.
  @inlinable
  public init(_ isWanted: @escaping @Sendable (Element) throws(Failure) -> Bool) { self.isWanted = isWanted }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: (Element) -> Void) throws(Failure) {
    guard isOpen else { return }
    if try isWanted(element) { emit(element) } else { isOpen = false }
  }

  @inlinable public var demand: Int { isOpen ? .max : 0 }
}

extension Outlet {
  /// Passes on the first `count` elements and then ends; see ``Take``.
  @inlinable
  public consuming func take(
    _ name: String, _ count: Int, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, Take(count), file: file, line: line)
  }

  /// Passes on elements until the closure answers false, and then ends; see ``TakeWhile``.
  @inlinable
  public consuming func takeWhile<Failure: Error>(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ isWanted: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> Outlet<Element> {
    via(name, TakeWhile(isWanted), supervision: supervision, file: file, line: line)
  }
}
