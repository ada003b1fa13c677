/// What a link does with an element for which its limits leave no room.
@frozen
public enum OverflowPolicy<Element: Sendable>: Sendable {
  /// The sender waits for room: backpressure, nothing is lost.
  case wait
  /// The oldest waiting elements are discarded until the new one fits.
  case dropOldest
  /// The new element is discarded.
  case dropNewest
  /// The new element is combined with the newest waiting one; the combination stays in its place and is weighed anew.
  /// The closure is called outside the link's lock, for one writer at a time; it must not write to its own link.
  case conflate(@Sendable (_ waiting: Element, _ new: Element) -> Element)
  /// The link fails with ``LinkOverflow``; what waits is still delivered.
  case fail
  /// Elements older than the age limit are discarded; otherwise the sender waits.
  case expire

  /// The policy in one word, as descriptions and exports show it.
  public var name: String {
    switch self {
    case .wait: "wait"
    case .dropOldest: "drop oldest"
    case .dropNewest: "drop newest"
    case .conflate: "conflate"
    case .fail: "fail"
    case .expire: "expire"
    }
  }
}

/// A link with the policy ``OverflowPolicy/fail`` had no room for an element.
public struct LinkOverflow: CodedError, CustomStringConvertible {
  public let code = "link-overflow"
  /// The limit that was reached.
  public let limit: LinkLimit

  @usableFromInline
  init(limit: LinkLimit) { self.limit = limit }
  public var description: String {
    "the link is full (\(limit)); raise its limit, choose another overflow policy, or slow the source down"
  }
}
