/// Values that hold until a deadline, by key: a pure value (receiving spec §3, invariant 12).
///
/// Nothing expires by being removed: whether a value holds is a comparison of its deadline with the time that is asked
/// for. A key that was cleared is remembered with its sequence, so that an event that comes late cannot bring it back.
///
/// Memory: at most `limit` keys; beyond that those with the nearest deadlines go.
struct TransientBook<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    var value: Value?
    var sequence: Int64
    var deadline: Int64
    /// The ids of the latest events, newest last.
    var eventIDs: [String]
  }

  /// Events of one key whose repetition is recognised.
  private static var remembered: Int { 4 }

  private var entries: [Key: Entry] = [:]
  private var generation: UInt64 = 0
  let limit: Int
  /// The longest a value may hold, in milliseconds: a deadline in the far future must not keep it for ever.
  let longest: Int64

  init(limit: Int, longest: Int64) {
    self.limit = max(limit, 1)
    self.longest = max(longest, 0)
  }

  /// Keys in the book, those included whose time is up.
  var count: Int { entries.count }

  /// The value of a key at a time.
  func value(_ key: Key, at now: Int64) -> Value? {
    guard let entry = entries[key], entry.deadline > now else { return nil }
    return entry.value
  }

  /// The values at a time whose keys `isWanted` picks.
  func values(at now: Int64, where isWanted: (Key) -> Bool) -> [(key: Key, value: Value, deadline: Int64)] {
    entries.compactMap { key, entry in
      guard entry.deadline > now, let value = entry.value, isWanted(key) else { return nil }
      return (key, value, entry.deadline)
    }
  }

  /// Takes in an event; false when it changes nothing: it is expired, repeated, overtaken, or of an older connection.
  /// A nil value clears the key at once, whatever its deadline.
  mutating func admit(
    _ key: Key, _ value: Value?, sequence: Int64, eventID: String, expiresAt: Int64, generation: UInt64, now: Int64
  ) -> Bool {
    if value != nil, expiresAt <= now { return false }
    guard generation >= self.generation else { return false }
    if generation > self.generation { reconnect(generation) }
    let deadline = min(max(expiresAt, now), now.addingReportingOverflow(longest).overflow ? .max : now + longest)
    guard var entry = entries[key] else {
      makeRoom(at: now)
      entries[key] = Entry(
        value: value, sequence: sequence, deadline: deadline, eventIDs: eventID.isEmpty ? [] : [eventID])
      return true
    }
    guard sequence >= entry.sequence, eventID.isEmpty || !entry.eventIDs.contains(eventID) else { return false }
    entry.value = value
    entry.sequence = sequence
    entry.deadline = deadline
    if !eventID.isEmpty { entry.eventIDs = entry.eventIDs.suffix(Self.remembered - 1) + [eventID] }
    entries[key] = entry
    return true
  }

  /// The sequence of a value that holds at a time.
  func sequence(_ key: Key, at now: Int64) -> Int64? {
    value(key, at: now) == nil ? nil : entries[key]?.sequence
  }

  /// Forgets everything of older connections.
  mutating func reconnect(_ generation: UInt64) {
    guard generation > self.generation else { return }
    self.generation = generation
    entries = [:]
  }

  mutating func removeAll() {
    generation = 0
    entries = [:]
  }

  private mutating func makeRoom(at now: Int64) {
    guard entries.count >= limit else { return }
    entries = entries.filter { $0.value.deadline > now && $0.value.value != nil }
    guard entries.count >= limit else { return }
    // A good piece at a time, so that a flood does not sort for each event.
    let nearest = entries.sorted { $0.value.deadline < $1.value.deadline }
    for entry in nearest.prefix(entries.count - limit + max(limit / 8, 1)) { entries[entry.key] = nil }
  }
}
