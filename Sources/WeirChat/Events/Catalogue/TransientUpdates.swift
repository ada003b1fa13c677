/// Whether someone is there.
public enum PresenceStatus: Int64, Sendable, CaseIterable {
  /// Not there, as far as is known.
  case offline = 0
  /// There.
  case online = 1
  /// There, but not at the device.
  case away = 2
}

/// Someone came, went, or is away (kind 13). Lives in memory until its time is up.
public struct PresenceUpdate: Sendable, Equatable {
  /// Names the event, so that a repetition is known; empty when the source names none.
  public var eventID: String
  /// Who.
  public var userID: String
  /// What.
  public var status: Native<PresenceStatus>
  /// Orders the events of one user on one connection.
  public var sequence: Int64
  /// Until when it holds, in milliseconds since 1970.
  public var expiresAtMilliseconds: Int64

  /// An update of its parts.
  public init(
    eventID: String = "", userID: String, status: Native<PresenceStatus>, sequence: Int64,
    expiresAtMilliseconds: Int64
  ) {
    self.eventID = eventID
    self.userID = userID
    self.status = status
    self.sequence = sequence
    self.expiresAtMilliseconds = expiresAtMilliseconds
  }
}

/// Someone types, or stopped (kind 14). Lives in memory until its time is up.
public struct TypingUpdate: Sendable, Equatable {
  /// Names the event, so that a repetition is known; empty when the source names none.
  public var eventID: String
  /// Where.
  public var conversationID: String
  /// Who.
  public var userID: String
  /// Types, or stopped.
  public var isTyping: Bool
  /// Orders the events of one user in one conversation on one connection.
  public var sequence: Int64
  /// Until when it holds, in milliseconds since 1970.
  public var expiresAtMilliseconds: Int64

  /// An update of its parts.
  public init(
    eventID: String = "", conversationID: String, userID: String, isTyping: Bool, sequence: Int64,
    expiresAtMilliseconds: Int64
  ) {
    self.eventID = eventID
    self.conversationID = conversationID
    self.userID = userID
    self.isTyping = isTyping
    self.sequence = sequence
    self.expiresAtMilliseconds = expiresAtMilliseconds
  }
}

extension TypingUpdate {
  /// What a decoder found, which names neither an order nor an end: the caller counts, and says how long it holds.
  public init(_ event: TypingEvent, sequence: Int64, expiresAtMilliseconds: Int64) {
    self.init(
      conversationID: event.conversationID, userID: event.userID, isTyping: event.isTyping, sequence: sequence,
      expiresAtMilliseconds: expiresAtMilliseconds)
  }
}
