import struct Synchronization.Atomic

/// The settlement tokens that travel beside the elements of one chunk, oldest first.
///
/// Owned by exactly one chunk, which is noncopyable; a class only so that an untracked chunk pays one word.
@usableFromInline
final class SettlementColumn {
  @usableFromInline var items: Deque<Settlement?>

  @usableFromInline
  init(count: Int) {
    items = Deque(repeating: nil, count: count)
  }
}
