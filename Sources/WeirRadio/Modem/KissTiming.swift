/// How a KISS modem accesses the channel by itself: TXDELAY, P and SLOTTIME. With ``immediate`` it leaves that to the host, which
/// listens in slots that fit the modulation (``ChannelAccess``); KISS's own slot of 100 ms fits only slow channels.
public struct KissTiming: Sendable, Hashable {
  /// From keying the transmitter to the first bit, up to 2.55 s in steps of 10 ms.
  public let delay: Duration
  /// Chance, in 256ths and less one, to start in a slot that is free: 0 to 255.
  public let persistence: Int
  /// Time until a slot is looked at again, up to 2.55 s in steps of 10 ms.
  public let slot: Duration

  /// - Throws: ``RadioError`` `badOptions` for times or a chance that the modem cannot be told.
  public init(delay: Duration, persistence: Int, slot: Duration) throws(RadioError) {
    for time in [delay, slot] where time < .zero || time > .milliseconds(2_550) {
      throw RadioError(.badOptions, "\(time) is not within 0 and 2.55 s, which is what KISS can say")
    }
    guard (0...255).contains(persistence) else {
      throw RadioError(.badOptions, "a persistence of \(persistence) is not within 0 and 255")
    }
    self.init(tens: Int(delay / .milliseconds(10)), persistence, Int(slot / .milliseconds(10)))
  }

  private init(tens delay: Int, _ persistence: Int, _ slot: Int) {
    self.delay = .milliseconds(10) * delay
    self.persistence = persistence
    self.slot = .milliseconds(10) * slot
  }

  /// Starts at once: the host listens.
  public static var immediate: KissTiming { KissTiming(tens: 0, 255, 0) }

  /// The frames that tell a modem.
  var frames: [UInt8] {
    [(1, Int(delay / .milliseconds(10))), (2, persistence), (3, Int(slot / .milliseconds(10)))]
      .flatMap { KissFraming.frame(type: $0.0, [UInt8(clamping: $0.1)]) }
  }

  /// The longest time for which a frame is expected to wait in the modem: its delay, and eight times the mean wait for a start in
  /// a free channel.
  var longestDelay: Duration { delay + slot * (8 * 256 / (persistence + 1)) * (persistence == 255 ? 0 : 1) }
}
