import Synchronization

/// A flag that can be taken once, by whoever comes first.
@usableFromInline
final class OnceFlag: Sendable {
  private let taken = Atomic<Bool>(false)

  @usableFromInline init() {}

  /// - Returns: whether the caller was the first.
  @usableFromInline
  func take() -> Bool { !taken.exchange(true, ordering: .acquiringAndReleasing) }
}
