import Synchronization

/// The keys a ``Dedupe`` has seen, kept outside it: shared by several stages and runs, and open to ``forget(_:)``, so
/// that what expired or failed downstream may come again.
///
/// May be used from any task. Exact and bounded as ``Dedupe`` says. Memory: up to `count` keys, each stored once.
public final class DedupeMemory<Key: Hashable & Sendable>: Sendable {
  /// Most keys remembered.
  public let limit: Int
  @usableFromInline let seen: Mutex<SeenKeys<Key>>

  /// A memory of up to `count` keys.
  @inlinable
  public init(remembering count: Int) {
    limit = count
    seen = Mutex(SeenKeys(count: count))
  }

  /// Notes a key.
  /// - Returns: whether it is new, or was forgotten.
  @inlinable
  public func insert(_ key: Key) -> Bool { seen.withLock { $0.insert(key) } }

  /// Forgets a key: its next occurrence counts as a first one.
  /// - Returns: whether it was remembered.
  @inlinable
  @discardableResult
  public func forget(_ key: Key) -> Bool { seen.withLock { $0.forget(key) } }

  /// Whether a key is remembered.
  @inlinable
  public func contains(_ key: Key) -> Bool { seen.withLock { $0.contains(key) } }

  /// Number of keys remembered.
  @inlinable
  public var count: Int { seen.withLock { $0.count } }
}
