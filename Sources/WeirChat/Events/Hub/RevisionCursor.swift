/// Follows the revisions of a stream of hints and tells when one is missing (receiving spec §3, invariants 1 and 2).
///
/// A reader of a stream that has no hub of its own uses it as the hub does: query everything at a gap, nothing at what is
/// known.
public struct RevisionCursor: Sendable, Equatable {
  /// What a hint means to someone who has seen all hints before it.
  public enum Step: Sendable, Equatable {
    /// The first one: it sets the baseline and shows no gap.
    case baseline
    /// The one after the last.
    case next
    /// At or below what was seen.
    case known
    /// Hints between this one and the last are missing.
    case gap
  }

  /// The highest revision seen; nil at first.
  public private(set) var last: Int64?

  /// A cursor; `last` is the highest revision already seen, if any.
  public init(last: Int64? = nil) { self.last = last }

  /// Takes in the revisions of a hint.
  public mutating func admit(_ revisions: ClosedRange<Int64>) -> Step {
    guard let last else {
      self.last = revisions.upperBound
      return .baseline
    }
    guard revisions.upperBound > last else { return .known }
    self.last = revisions.upperBound
    return revisions.lowerBound - 1 <= last ? .next : .gap
  }

  /// Takes in the revision of a hint.
  public mutating func admit(_ revision: Int64) -> Step { admit(revision...revision) }
}
