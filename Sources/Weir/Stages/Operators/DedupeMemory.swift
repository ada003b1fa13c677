import Synchronization

/// The keys a ``Dedupe`` has seen, kept outside it: shared by several stages and runs, and open to ``forget(_:)``, so
/// that what expired or failed downstream may come again.
///
/// May be used from any task. Exact and bounded as ``Dedupe`` says. Memory: up to `count` keys, each stored twice.
public final class DedupeMemory<Key: Hashable & Sendable>: Sendable {
  /// Most keys remembered.
  public let limit: Int
  private let seen: Mutex<SeenKeys<Key>>

  /// A memory of up to `count` keys.
  public init(remembering count: Int) {
    limit = count
    seen = Mutex(SeenKeys(count: count))
  }

  /// Notes a key.
  /// - Returns: whether it is new, or was forgotten.
  public func insert(_ key: Key) -> Bool { seen.withLock { $0.insert(key) } }

  /// Forgets a key: its next occurrence counts as a first one.
  /// - Returns: whether it was remembered.
  @discardableResult
  public func forget(_ key: Key) -> Bool { seen.withLock { $0.forget(key) } }

  /// Whether a key is remembered.
  public func contains(_ key: Key) -> Bool { seen.withLock { $0.numbers[key] != nil } }

  /// Number of keys remembered.
  public var count: Int { seen.withLock { $0.numbers.count } }
}
