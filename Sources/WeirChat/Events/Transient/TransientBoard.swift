import Synchronization
import Weir

/// Who is there and who types, as far as is known now: in memory only, never stored (receiving spec §3, kinds 13 and 14).
///
/// There is no sweeper: a value is a function of its deadline and the clock, so what has expired is gone without any
/// event. A view that wants to be drawn again at that moment sleeps until ``Typing/until``.
///
/// Memory: at most `limit` users with a presence and `limit` users typing.
public final class TransientBoard: Sendable {
  /// How long values may hold, whatever their events say, and how many there may be.
  public struct Limits: Sendable {
    /// The longest that someone counts as typing.
    public var typing: Duration
    /// The longest that a presence holds.
    public var presence: Duration
    /// Users with a presence, and users typing.
    public var entries: Int

    /// A minute of typing, an hour of presence and 10,000 users, unless said.
    public init(typing: Duration = .seconds(60), presence: Duration = .seconds(3_600), entries: Int = 10_000) {
      self.typing = typing
      self.presence = presence
      self.entries = entries
    }
  }

  /// Who types in a conversation.
  public struct Typing: Sendable, Equatable {
    /// The users, in order of their ids.
    public var users: [String]
    /// When the first of them stops unless an event comes, in milliseconds since 1970; nil when nobody types.
    public var until: Int64?
  }

  private struct Place: Hashable, Sendable {
    let conversation: ByteKey
    let user: ByteKey
  }

  private struct Books {
    var presence: TransientBook<ByteKey, Native<PresenceStatus>>
    var typing: TransientBook<Place, Void>
  }

  private let books: Mutex<Books>
  private let clock: WallClock

  /// An empty board whose values expire by `clock`.
  public init(clock: WallClock = WallClock(), limits: Limits = Limits()) {
    self.clock = clock
    books = Mutex(
      Books(
        presence: TransientBook(limit: limits.entries, longest: Self.milliseconds(limits.presence)),
        typing: TransientBook(limit: limits.entries, longest: Self.milliseconds(limits.typing))))
  }

  /// The time by which values expire.
  var now: Int64 { clock.now }

  /// The status of a user now; nil when nothing is known, or not any more.
  public func presence(of userID: String) -> Native<PresenceStatus>? {
    let now = clock.now
    return books.withLock { $0.presence.value(ByteKey(text: userID), at: now) }
  }

  /// Who types in a conversation now.
  public func typing(in conversationID: String) -> Typing {
    let now = clock.now
    let key = ByteKey(text: conversationID)
    let values = books.withLock { books in
      books.typing.values(at: now) { $0.conversation == key }.map { ($0.key.user.text, $0.deadline) }
    }
    return Typing(users: values.map(\.0).sorted { $0.utf8Precedes($1) }, until: values.map(\.1).min())
  }

  /// Takes in a presence; false when it is expired, repeated, overtaken or of an older connection.
  @discardableResult
  public func admit(_ update: PresenceUpdate, connectionGeneration: UInt64 = 0) -> Bool {
    admit(update, connectionGeneration, at: now)
  }

  func admit(_ update: PresenceUpdate, _ connectionGeneration: UInt64, at now: Int64) -> Bool {
    return books.withLock {
      $0.presence.admit(
        ByteKey(text: update.userID), update.status, sequence: update.sequence, eventID: update.eventID,
        expiresAt: update.expiresAtMilliseconds, generation: connectionGeneration, now: now)
    }
  }

  /// Takes in that someone types or stopped; false when it is expired, repeated, overtaken or of an older connection.
  /// That someone stopped never expires: it only takes away.
  @discardableResult
  public func admit(_ update: TypingUpdate, connectionGeneration: UInt64 = 0) -> Bool {
    admit(update, connectionGeneration, at: now)
  }

  func admit(_ update: TypingUpdate, _ connectionGeneration: UInt64, at now: Int64) -> Bool {
    let place = Place(conversation: ByteKey(text: update.conversationID), user: ByteKey(text: update.userID))
    return books.withLock {
      $0.typing.admit(
        place, update.isTyping ? () : nil, sequence: update.sequence, eventID: update.eventID,
        expiresAt: update.expiresAtMilliseconds, generation: connectionGeneration, now: now)
    }
  }

  /// The sequence of the event by which a user types now; nil when they do not.
  func typingSequence(of userID: String, in conversationID: String) -> Int64? {
    let now = clock.now
    let place = Place(conversation: ByteKey(text: conversationID), user: ByteKey(text: userID))
    return books.withLock { $0.typing.sequence(place, at: now) }
  }

  /// A new connection: nothing of an older one is shown, and numbers begin anew.
  public func reconnect(_ connectionGeneration: UInt64) {
    books.withLock { books in
      books.presence.reconnect(connectionGeneration)
      books.typing.reconnect(connectionGeneration)
    }
  }

  /// Forgets everything, for another login.
  public func clear() {
    books.withLock { books in
      books.presence.removeAll()
      books.typing.removeAll()
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    return overflow ? .max : max(0, scaled &+ attoseconds / 1_000_000_000_000_000)
  }
}
