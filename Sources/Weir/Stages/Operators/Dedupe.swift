/// Lets only the first element of each key through.
///
/// Exact: a first occurrence is never left out. A key is forgotten when `remembering` others have been seen after it (or
/// through ``DedupeMemory/forget(_:)``); a forgotten key lets one repetition through, never the reverse. A repetition
/// does not renew its key.
///
/// - Emits when: an element arrives whose key is not remembered.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: up to `remembering` keys, each stored once; constant time an element.
/// - Errors: none; a count of 0 or less is a fault of the blueprint.
@frozen
public struct Dedupe<Element: Sendable, Key: Hashable & Sendable>: Stage {
  @usableFromInline let key: @Sendable (Element) -> Key
  @usableFromInline let count: Int
  @usableFromInline var seen: SeenKeys<Key>
  /// Used in place of `seen` where there is one.
  @usableFromInline let memory: DedupeMemory<Key>?

  /// Remembers up to `count` keys, afresh in every run.
  @inlinable
  public init(by key: @escaping @Sendable (Element) -> Key, remembering count: Int) {
    self.key = key
    self.count = count
    seen = SeenKeys(count: count)
    memory = nil
  }

  /// Remembers keys in a memory that outlives the run and may be shared.
  @inlinable
  public init(by key: @escaping @Sendable (Element) -> Key, in memory: DedupeMemory<Key>) {
    self.key = key
    count = memory.limit
    seen = SeenKeys(count: 1)
    self.memory = memory
  }

  @inlinable
  @inline(__always)
  public mutating func process(_ element: Element, _ emit: (Element) -> Void) {
    let key = key(element)
    if memory?.insert(key) ?? seen.insert(key) { emit(element) }
  }

  /// The keys it remembers.
  @inlinable public var holds: Int? { Swift.max(0, count) }

  @inlinable public var faults: [String] { dedupeFaults(count) }
}

/// Lets only the first element of each key through, and remembers keys for a limited time.
///
/// As ``Dedupe``, but a key is also forgotten `forgetting` after its first occurrence: from that moment on exactly.
///
/// - Emits when: an element arrives whose key is not remembered.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: up to `remembering` keys, each stored once; keys that are too old go when the next element arrives.
/// - Errors: none; a count or time of 0 or less is a fault of the blueprint.
@frozen
public struct TimedDedupe<Element: Sendable, Key: Hashable & Sendable>: TimedStage {
  @usableFromInline let key: @Sendable (Element) -> Key
  @usableFromInline let count: Int
  @usableFromInline let age: Duration
  @usableFromInline var seen: SeenKeys<Key>

  /// Remembers up to `count` keys, each for `age` after its first occurrence.
  @inlinable
  public init(by key: @escaping @Sendable (Element) -> Key, remembering count: Int, forgetting age: Duration) {
    self.key = key
    self.count = count
    self.age = age
    seen = SeenKeys(count: count, age: age)
  }

  @inlinable
  public mutating func process(_ element: Element, at now: Duration, _ emit: (Element) -> Void) {
    if seen.insert(key(element), at: now) { emit(element) }
  }

  /// Nothing happens by time alone.
  @inlinable public var deadline: Duration? { nil }

  @inlinable
  public mutating func wake(at now: Duration, _ emit: (Element) -> Void) {}

  /// The keys it remembers.
  @inlinable public var holds: Int? { Swift.max(0, count) }

  @inlinable public var faults: [String] { dedupeFaults(count) + durationFaults(age, "remembering keys") }
}

@usableFromInline
func dedupeFaults(_ count: Int) -> [String] {
  count > 0 ? [] : ["remembering \(count) keys can find no repetition; use 1 or more"]
}

extension Outlet {
  /// Lets only the first element of each key through; see ``Dedupe``.
  @inlinable
  public consuming func dedupe<Key: Hashable & Sendable>(
    _ name: String, by key: @escaping @Sendable (Element) -> Key, remembering count: Int,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, Dedupe(by: key, remembering: count), file: file, line: line)
  }

  /// Lets only the first element of each key through, keys being kept in a shared memory; see ``Dedupe``.
  @inlinable
  public consuming func dedupe<Key: Hashable & Sendable>(
    _ name: String, by key: @escaping @Sendable (Element) -> Key, in memory: DedupeMemory<Key>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, Dedupe(by: key, in: memory), file: file, line: line)
  }

  /// Lets only the first element of each key through, for a limited time; see ``TimedDedupe``.
  @inlinable
  public consuming func dedupe<Key: Hashable & Sendable>(
    _ name: String, by key: @escaping @Sendable (Element) -> Key, remembering count: Int, forgetting age: Duration,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, TimedDedupe(by: key, remembering: count, forgetting: age), file: file, line: line)
  }
}
