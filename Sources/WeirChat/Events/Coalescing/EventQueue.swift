/// What waits for one subscriber: a pure value, apart from locks and continuations.
///
/// Events of one key are merged, the merged one standing at the place of the latest (receiving spec §3, invariant 10).
/// An event that a wider one in the queue covers is merged into that. When there is no room, hints are widened: messages
/// into their timelines, kinds 8 to 12 into one about everything visible, in the end all into one that asks for
/// everything; each step is taken only if it frees a quarter of the room, so that a push costs constant time on average.
/// No hint is ever dropped without a wider one in its place, and the newest event of a key is never lost (invariant 9).
/// States keep the latest, presence and typing drop their oldest.
///
/// Memory: at most `limit` entries of about 200 bytes, and the ids in them, which all subscribers share.
struct EventQueue: Sendable {
  /// What has become of the events. `pushed` is the sum of the others and of what the queue stands for now.
  struct Counters: Sendable, Equatable {
    var pushed: UInt64 = 0
    /// Events that left one by one, or as part of a merged one.
    var taken: UInt64 = 0
    /// States, presence and typing that gave way to later ones.
    var dropped: UInt64 = 0
    /// What an end of an account's login made void.
    var voided: UInt64 = 0
    /// How often hints were widened for lack of room.
    var overflows: UInt64 = 0
  }

  /// The least that a queue is made for.
  static let smallestLimit = 8
  private static let stateLimit = 3

  let limit: Int
  private let transientLimit: Int
  private let hintLimit: Int
  private(set) var counters = Counters()
  private var states: [PendingEvent] = []
  private var hints = KeyedLine<PendingEvent>()
  private var transients = KeyedLine<PendingEvent>()
  /// False when no hint waits that covers those of other keys, beside timelines. Saves looking for one at every push.
  private var mayHaveWide = false

  init(limit: Int) {
    self.limit = max(limit, Self.smallestLimit)
    transientLimit = self.limit / 4
    hintLimit = self.limit - transientLimit - Self.stateLimit
  }

  /// Entries that wait; at most `limit`.
  var count: Int { states.count + hints.count + transients.count }

  var isEmpty: Bool { states.isEmpty && hints.isEmpty && transients.isEmpty }

  mutating func push(_ event: PublishedEvent) {
    counters.pushed &+= UInt64(event.envelope.covers)
    switch event.kind.reliability {
    case .state: pushState(event)
    case .transient: pushTransient(event)
    default: pushHint(event)
    }
  }

  /// Takes the event with the lowest number.
  mutating func pop() -> EventEnvelope? {
    let numbers = (
      states.first?.number ?? .max, hints.first?.number ?? .max, transients.first?.number ?? .max
    )
    let taken: PendingEvent?
    if !states.isEmpty, numbers.0 < numbers.1, numbers.0 < numbers.2 {
      taken = states.removeFirst()
    } else if numbers.1 < numbers.2 {
      taken = hints.popFirst()
      if hints.isEmpty { mayHaveWide = false }
    } else {
      taken = transients.popFirst()
    }
    guard let taken else { return nil }
    counters.taken &+= UInt64(taken.covers)
    return taken.envelope
  }

  /// Forgets everything that waits.
  mutating func removeAll() {
    for entry in states { counters.voided &+= UInt64(entry.covers) }
    while let entry = hints.popFirst() { counters.voided &+= UInt64(entry.covers) }
    while let entry = transients.popFirst() { counters.voided &+= UInt64(entry.covers) }
    states = []
  }
}

extension EventQueue {
  /// The latest state counts, but nothing is merged across the end of a client.
  private mutating func pushState(_ event: PublishedEvent) {
    if let last = states.last, !Self.isTerminal(last.published), !Self.isTerminal(event) {
      states[states.count - 1].merge(event)
    } else {
      if states.count == Self.stateLimit { counters.dropped &+= UInt64(states.removeFirst().covers) }
      states.append(PendingEvent(event))
    }
  }

  private static func isTerminal(_ event: PublishedEvent) -> Bool {
    if case .stateChanged(.known(let state)) = event.envelope.event { state.isTerminal } else { false }
  }

  private mutating func pushTransient(_ event: PublishedEvent) {
    if transients.update(event.key, { $0.merge(event) }) { return }
    if transients.count == transientLimit, let oldest = transients.popFirst() {
      counters.dropped &+= UInt64(oldest.covers)
    }
    transients.append(event.key, PendingEvent(event))
  }

  private mutating func pushHint(_ event: PublishedEvent) {
    if isCovered(event) || absorbsNarrower(event) || hints.update(event.key, { $0.merge(event) }) { return }
    if hints.count >= hintLimit {
      makeRoom()
      if isCovered(event) || hints.update(event.key, { $0.merge(event) }) { return }
    }
    hints.append(event.key, PendingEvent(event))
  }

  /// Merges the event into a wider one that waits, if there is one.
  private mutating func isCovered(_ event: PublishedEvent) -> Bool {
    if mayHaveWide, coverByWide(event) { return true }
    guard event.key.scope == .message, let timeline = event.timeline else { return false }
    return hints.update(timeline) { $0.cover(event, as: .timeline) }
  }

  private mutating func coverByWide(_ event: PublishedEvent) -> Bool {
    if event.key.scope != .everything, hints.update(Self.everything, { $0.cover(event, as: .everything) }) {
      return true
    }
    if event.kind.isCoveredBySync, event.key.scope != .sync, hints.update(Self.sync, { $0.cover(event, as: .sync) }) {
      return true
    }
    switch event.key.scope {
    case .read: return hints.update(Self.readAll) { $0.cover(event, as: .readAll) }
    case .social where event.key != Self.social: return hints.update(Self.social) { $0.cover(event, as: .social) }
    default: return false
    }
  }

  /// Merges into the event what waits and is narrower, if anything does. Each entry is taken out once, so this costs constant time for
  /// each event that ever came in.
  private mutating func absorbsNarrower(_ event: PublishedEvent) -> Bool {
    let width: PendingEvent.Width
    let narrower: [PendingEvent]
    switch event.key.scope {
    case .everything:
      width = .everything
      narrower = hints.removeAll { key, _ in key != Self.everything }
    case .sync:
      width = .sync
      narrower = hints.removeAll { key, entry in key != Self.sync && Self.isCoveredBySync(key, entry) }
    case .readAll:
      width = .readAll
      narrower = hints.removeAll { key, _ in key.scope == .read }
    case .social where event.key == Self.social:
      width = .social
      narrower = hints.removeAll { key, _ in key.scope == .social && key != Self.social }
    default: return false
    }
    mayHaveWide = true
    guard !narrower.isEmpty else { return false }
    var entry = PendingEvent(event)
    for other in narrower { entry.cover(other, as: width, isOverflow: false) }
    // Timelines that were gathered for lack of room can wait beside a hint about everything visible.
    if !hints.update(event.key, { $0.cover(entry, as: width, isOverflow: false) }) { hints.append(event.key, entry) }
    return true
  }

  private static func isCoveredBySync(_ key: CoalescingKey, _ entry: PendingEvent) -> Bool {
    switch key.scope {
    case .timeline, .conversations, .social, .sync: true
    case .message: entry.published.kind.isCoveredBySync
    default: false
    }
  }

  /// Widens hints step by step until a quarter of the room is free, or one hint is left.
  private mutating func makeRoom() {
    counters.overflows &+= 1
    let wanted = max(hintLimit / 4, 1)
    gatherTimelines(freeing: wanted)
    if hintLimit - hints.count >= wanted { return }
    gather(as: .sync, into: Self.sync, freeing: wanted) { Self.isCoveredBySync($0, $1) }
    if hintLimit - hints.count >= wanted { return }
    gather(as: .everything, into: Self.everything, freeing: 0) { _, _ in true }
  }

  /// Merges the messages of each conversation that is known into its timeline, if that frees enough.
  private mutating func gatherTimelines(freeing wanted: Int) {
    var added: Set<CoalescingKey> = []
    var messages = 0
    for (key, entry) in hints.all {
      guard key.scope == .message, let timeline = entry.timeline else { continue }
      messages += 1
      if !hints.contains(timeline) { added.insert(timeline) }
    }
    guard messages - added.count >= wanted else { return }
    for var entry in hints.removeAll(where: { key, entry in key.scope == .message && entry.timeline != nil }) {
      guard let timeline = entry.timeline else { continue }
      if hints.update(timeline, { $0.cover(entry, as: .timeline, isOverflow: true) }) { continue }
      entry.widen(to: .timeline)
      hints.append(timeline, entry)
    }
    hints.sort { $0.number < $1.number }
  }

  private mutating func gather(
    as width: PendingEvent.Width, into key: CoalescingKey, freeing wanted: Int,
    _ isWanted: (CoalescingKey, PendingEvent) -> Bool
  ) {
    guard hints.all.count(where: isWanted) > wanted else { return }
    let entries = hints.removeAll(where: isWanted)
    guard var merged = entries.first else { return }
    mayHaveWide = true
    merged.widen(to: width)
    for entry in entries.dropFirst() { merged.cover(entry, as: width, isOverflow: true) }
    if !hints.update(key, { $0.cover(merged, as: width, isOverflow: true) }) { hints.append(key, merged) }
    hints.sort { $0.number < $1.number }
  }

  private static let everything = CoalescingKey(.everything)
  private static let sync = CoalescingKey(.sync)
  private static let readAll = CoalescingKey(.readAll)
  private static let social = CoalescingKey(.social)
}
