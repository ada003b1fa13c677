/// Keys that have been seen, the oldest forgotten first: bounded by count and, where a time is given, by age.
///
/// Exact: ``insert(_:at:)`` answers false only for a key that was inserted before and not forgotten since, so a first
/// occurrence is never taken for a repetition. A repetition does not renew its key: a key is forgotten `age` after it
/// was inserted, or when `count` others have been inserted after it.
///
/// Every call takes constant time (amortised). Memory: up to `count` keys (4 billion at most), each stored once, with 5 to
/// 11 bytes to find it, and 16 for its time where ages count.
@frozen
@usableFromInline
struct SeenKeys<Key: Hashable & Sendable>: Sendable {
  @usableFromInline let limit: Int
  @usableFromInline let age: Duration?
  /// A ring in the order of insertion that grows until it has `limit` slots. A forgotten key leaves nil, and its place is
  /// given up when it is the oldest.
  @usableFromInline var keys: ContiguousArray<Key?> = []
  /// When the key of the same slot was inserted; empty where ages do not count.
  @usableFromInline var times: ContiguousArray<Duration> = []
  /// The slot of each key, plus one, at the place of its hash or one of the next places; 0 where there is none.
  @usableFromInline var places: ContiguousArray<UInt32> = []
  @usableFromInline var oldest = 0
  /// Slots in use, those of forgotten keys included.
  @usableFromInline var used = 0
  /// Keys remembered.
  @usableFromInline var count = 0

  @inlinable
  init(count: Int, age: Duration? = nil) {
    limit = Swift.min(Swift.max(1, count), Int(clamping: UInt32.max - 1))
    self.age = age
  }

  /// - Returns: whether the key is new, or was forgotten.
  @inlinable
  mutating func insert(_ key: Key, at now: Duration = .zero) -> Bool {
    forgetExpired(at: now)
    if contains(key) { return false }
    if used == limit { forgetOldest() }
    if used == keys.count { grow() }
    let slot = slot(used)
    keys[slot] = key
    if age != nil { times[slot] = now }
    used &+= 1
    count &+= 1
    note(key, slot)
    return true
  }

  /// Whether a key is remembered.
  @inlinable
  func contains(_ key: Key) -> Bool { place(of: key) != nil }

  /// Forgets a key before its time. Its place in the order is given up later.
  @inlinable
  @discardableResult
  mutating func forget(_ key: Key) -> Bool {
    guard let place = place(of: key) else { return false }
    keys[Int(places[place]) &- 1] = nil
    count &-= 1
    vacate(place)
    return true
  }

  /// Forgets what is older than `age`.
  @inlinable
  mutating func forgetExpired(at now: Duration) {
    guard let age else { return }
    while used > 0, now - times[oldest] >= age { forgetOldest() }
  }

  @inlinable
  mutating func forgetOldest() {
    if let key = keys[oldest] { forget(key) }
    oldest = slot(1)
    used &-= 1
  }

  @inlinable
  func slot(_ offset: Int) -> Int {
    let slot = oldest &+ offset
    return slot >= keys.count ? slot &- keys.count : slot
  }

  // MARK: The table of places

  /// Where the slot of a key is noted.
  @inlinable
  func place(of key: Key) -> Int? {
    if places.isEmpty { return nil }
    var place = home(of: key)
    while places[place] != 0 {
      if keys[Int(places[place]) &- 1] == key { return place }
      place = next(place)
    }
    return nil
  }

  @inlinable
  func home(of key: Key) -> Int { key.hashValue & (places.count &- 1) }

  @inlinable
  func next(_ place: Int) -> Int { (place &+ 1) & (places.count &- 1) }

  @inlinable
  mutating func note(_ key: Key, _ slot: Int) {
    var place = home(of: key)
    while places[place] != 0 { place = next(place) }
    places[place] = UInt32(truncatingIfNeeded: slot &+ 1)
  }

  /// Empties a place, and moves into it what would not be found any more behind it.
  @inlinable
  mutating func vacate(_ place: Int) {
    let mask = places.count &- 1
    var free = place
    var place = place
    places[free] = 0
    while true {
      place = next(place)
      guard places[place] != 0, let key = keys[Int(places[place]) &- 1] else { return }
      let home = home(of: key)
      // Only what comes from the free place or from before it may move there.
      if (place &- home) & mask >= (place &- free) & mask {
        places[free] = places[place]
        places[place] = 0
        free = place
      }
    }
  }

  @inlinable
  mutating func grow() {
    let (doubled, overflow) = keys.count.multipliedReportingOverflow(by: 2)
    let size = Swift.min(limit, overflow ? limit : Swift.max(16, doubled))
    var grown = ContiguousArray<Key?>()
    grown.reserveCapacity(size)
    for offset in 0..<used { grown.append(keys[slot(offset)]) }
    grown.append(contentsOf: repeatElement(nil, count: size &- used))
    if age != nil {
      var grownTimes = ContiguousArray<Duration>()
      grownTimes.reserveCapacity(size)
      for offset in 0..<used { grownTimes.append(times[slot(offset)]) }
      grownTimes.append(contentsOf: repeatElement(.zero, count: size &- used))
      times = grownTimes
    }
    keys = grown
    oldest = 0
    // At most three quarters of the places are taken.
    var wanted = 16
    while wanted < size &+ size / 3 &+ 1 { wanted &*= 2 }
    places = []
    places = ContiguousArray(repeating: 0, count: wanted)
    for slot in 0..<used { if let key = keys[slot] { note(key, slot) } }
  }
}
