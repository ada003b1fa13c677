/// What has gone through a link since its run began. All numbers are elements unless said.
///
/// At every moment `accepted = delivered + conflated + overflowed + expired + abandoned + waiting`.
@frozen
public struct LinkCounters: Sendable, Hashable {
  /// Offered to the link and not refused.
  public var accepted: UInt64 = 0
  /// Handed to a reader.
  public var delivered: UInt64 = 0
  /// Combined into a waiting element, by the policy `conflate`.
  public var conflated: UInt64 = 0
  /// Discarded by a dropping policy for want of room.
  public var overflowed: UInt64 = 0
  /// Discarded because they were older than the age limit.
  public var expired: UInt64 = 0
  /// Given up because the run was aborted or the reader left.
  public var abandoned: UInt64 = 0
  /// Largest number waiting at once.
  public var highWater = 0
  /// Times a sender had to wait.
  public var waits: UInt64 = 0

  @usableFromInline
  init() {}

  @usableFromInline
  mutating func discard(_ reason: DiscardReason) {
    if reason == .expired { expired &+= 1 } else { overflowed &+= 1 }
  }
}
