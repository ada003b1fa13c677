/// When the next element may pass at a given rate: a token bucket, kept as one point in time.
///
/// The bucket holds up to `burst` tokens and gains one every `spacing`. `emptyUntil` is when it would be full again, so
/// nothing has to be added up as time passes. No run of elements is ever faster than `burst` at once plus one a spacing.
@frozen
@usableFromInline
struct TokenBucket: Sendable {
  @usableFromInline private(set) var rate: Rate
  @usableFromInline private(set) var spacing: Duration
  @usableFromInline private(set) var tolerance: Duration
  private var emptyUntil = Duration.zero

  @usableFromInline
  init(_ rate: Rate) {
    self.rate = rate
    spacing = rate.spacing
    tolerance = rate.tolerance
  }

  /// From this time on a token is there.
  @usableFromInline var readyTime: Duration { emptyUntil - tolerance }

  /// Takes a token if there is one.
  @usableFromInline
  mutating func take(at now: Duration) -> Bool {
    guard now >= readyTime else { return false }
    emptyUntil = max(emptyUntil, now) + spacing
    return true
  }

  /// Changes the rate; the tokens that are missing stay missing.
  mutating func change(to newRate: Rate, at now: Duration) {
    let missing = emptyUntil > now ? (emptyUntil - now) / spacing : 0
    rate = newRate
    spacing = newRate.spacing
    tolerance = newRate.tolerance
    emptyUntil = now + spacing * min(missing, Double(newRate.usableBurst))
  }
}
