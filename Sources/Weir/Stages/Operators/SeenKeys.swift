/// Keys that have been seen, the oldest forgotten first: bounded by count and, where a time is given, by age.
///
/// Exact: ``insert(_:at:)`` answers false only for a key that was inserted before and not forgotten since, so a first
/// occurrence is never taken for a repetition. A repetition does not renew its key: a key is forgotten `age` after it
/// was inserted, or when `count` others have been inserted after it.
///
/// Every call takes constant time (amortised). Memory: up to `count` keys, each stored twice.
@frozen
@usableFromInline
struct SeenKeys<Key: Hashable & Sendable>: Sendable {
  /// A key in the order of insertion. Stale when ``numbers`` knows the key under another number, or no more.
  @frozen
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let number: UInt64
    @usableFromInline let time: Duration

    @inlinable
    init(key: Key, number: UInt64, time: Duration) {
      self.key = key
      self.number = number
      self.time = time
    }
  }

  @usableFromInline let limit: Int
  @usableFromInline let age: Duration?
  @usableFromInline var numbers: [Key: UInt64] = [:]
  /// A ring: grows until it has `limit` slots.
  @usableFromInline var entries: ContiguousArray<Entry?> = []
  @usableFromInline var oldest = 0
  @usableFromInline var count = 0
  @usableFromInline var nextNumber: UInt64 = 0

  @inlinable
  init(count: Int, age: Duration? = nil) {
    limit = Swift.max(1, count)
    self.age = age
  }

  /// - Returns: whether the key is new, or was forgotten.
  @inlinable
  mutating func insert(_ key: Key, at now: Duration = .zero) -> Bool {
    forgetExpired(at: now)
    if numbers[key] != nil { return false }
    if count == limit { forgetOldest() }
    if count == entries.count { grow() }
    nextNumber &+= 1
    numbers[key] = nextNumber
    entries[slot(count)] = Entry(key: key, number: nextNumber, time: now)
    count &+= 1
    return true
  }

  /// Forgets a key before its time. Its place in the order is given up later.
  @inlinable
  @discardableResult
  mutating func forget(_ key: Key) -> Bool { numbers.removeValue(forKey: key) != nil }

  /// Forgets what is older than `age`.
  @inlinable
  mutating func forgetExpired(at now: Duration) {
    guard let age else { return }
    while count > 0, let entry = entries[oldest], now - entry.time >= age { forgetOldest() }
  }

  @inlinable
  mutating func forgetOldest() {
    if let entry = entries[oldest], numbers[entry.key] == entry.number { numbers[entry.key] = nil }
    entries[oldest] = nil
    oldest = slot(1)
    count &-= 1
  }

  @inlinable
  func slot(_ offset: Int) -> Int {
    let slot = oldest &+ offset
    return slot >= entries.count ? slot &- entries.count : slot
  }

  @inlinable
  mutating func grow() {
    let (doubled, overflow) = entries.count.multipliedReportingOverflow(by: 2)
    let size = Swift.min(limit, overflow ? limit : Swift.max(16, doubled))
    var grown = ContiguousArray<Entry?>()
    grown.reserveCapacity(size)
    for offset in 0..<count { grown.append(entries[slot(offset)]) }
    grown.append(contentsOf: repeatElement(nil, count: size &- count))
    entries = grown
    oldest = 0
  }
}
