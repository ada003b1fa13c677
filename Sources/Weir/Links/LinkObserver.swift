import Synchronization

/// Someone who wants to know that nobody reads a link any more.
protocol LinkObserver: AnyObject, Sendable {
  func linkClosed()
}

/// Whom a link with the policy ``OverflowPolicy/fail`` tells when it has failed.
@usableFromInline
final class LinkOverflowReport: Sendable {
  /// Called once, outside the lock of the link.
  @usableFromInline let onOverflow = Mutex<(@Sendable (StageFailure) -> Void)?>(nil)

  @usableFromInline
  init() {}
}
