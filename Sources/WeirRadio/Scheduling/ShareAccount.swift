/// What a class with a guaranteed share is owed by those that sent instead of it.
///
/// While the class has something to send, each transmission of another adds its share; each of its own takes the rest
/// away. When more than one frame is owed, the class goes right after control, so that over any stretch its share holds
/// within a frame. Nothing is owed to a class that had nothing to send.
struct ShareAccount: Sendable, Equatable {
  /// Percent.
  let share: Int
  /// Most that is owed: the share of the window over which it is guaranteed.
  let most: Duration
  private(set) var owed: Duration = .zero

  init(share: Int, window: Duration) {
    self.share = min(max(0, share), 100)
    most = window * self.share / 100
  }

  /// Another class sent for `airtime` while this one waited, or had nothing to send.
  mutating func othersSent(_ airtime: Duration, whileWaiting: Bool) {
    owed = whileWaiting ? min(most, owed + airtime * share / 100) : .zero
  }

  /// The class itself sent for `airtime`.
  mutating func sent(_ airtime: Duration) {
    owed = max(.zero, owed - airtime * (100 - share) / 100)
  }

  /// Whether more than a frame of `airtime` is owed.
  func isDue(frame airtime: Duration) -> Bool { share > 0 && owed > airtime * (100 - share) / 100 }
}

/// Drops frames from a queue that stands: one in which every frame has waited too long for a whole interval. Controlled
/// delay, with times that follow the longest frame: milliseconds would mean nothing on a slow channel.
struct StandingQueueControl: Sendable, Equatable {
  let target: Duration
  let interval: Duration
  /// When the wait will have been too long for an interval; nil while it is not too long.
  private var deadline: Duration?
  private var isDropping = false
  private var nextDrop: Duration = .zero
  private var drops = 0

  /// - Parameter longest: time on air of the longest frame.
  init(longest: Duration) {
    target = longest * 3 / 2
    interval = target * 10
  }

  /// Whether the frame about to be sent is dropped instead.
  /// - Parameters:
  ///   - wait: how long it has waited.
  ///   - isLast: whether nothing waits behind it.
  mutating func drops(wait: Duration, isLast: Bool, at now: Duration) -> Bool {
    guard wait >= target, !isLast else {
      deadline = nil
      isDropping = false
      return false
    }
    guard let deadline else {
      self.deadline = now + interval
      return false
    }
    if isDropping {
      guard now >= nextDrop else { return false }
      drops += 1
      nextDrop += spacing
      return true
    }
    guard now >= deadline else { return false }
    isDropping = true
    // A queue that stood not long ago is taken up where it was left.
    drops = now - nextDrop < interval && drops > 2 ? drops - 2 : 1
    nextDrop = now + spacing
    return true
  }

  /// The interval divided by the square root of the drops so far.
  private var spacing: Duration { interval * (1 / Double(max(1, drops)).squareRoot()) }
}
