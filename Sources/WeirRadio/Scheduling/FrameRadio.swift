/// A radio that sends frames, one at a time. The scheduler is its only user.
public protocol FrameRadio: Sendable {
  /// Sends a frame. Returns when the modem has confirmed this very frame; a confirmation that comes late for an earlier one
  /// does not count. Cancelling the task ends the wait promptly.
  /// - Throws: when the modem says that it was not sent.
  func send(_ payload: [UInt8], on channel: RadioChannel) async throws

  /// Time to bring a frame of `bytes` to the modem, before it is on the air. Zero unless said.
  func transferTime(bytes: Int) -> Duration

  /// The longest time for which a frame waits in the modem, behind ``transferTime(bytes:)`` and before it is on the air: for a slot,
  /// or for the modem's own listening. Zero unless said.
  var startDelay: Duration { get }

  /// Whether somebody else is on the air now; asked before a start where the scheduler listens. Takes as long as the modem
  /// needs to tell. False unless said.
  func isChannelBusy(_ channel: RadioChannel) async throws -> Bool

  /// Finds out, after a frame of which the modem said nothing, whether it is in order, and puts it in order.
  /// - Throws: when it is not: the radio is quarantined. Does nothing unless said.
  func recover() async throws
}

extension FrameRadio {
  public func transferTime(bytes: Int) -> Duration { .zero }
  public var startDelay: Duration { .zero }
  public func isChannelBusy(_ channel: RadioChannel) async throws -> Bool { false }
  public func recover() async throws {}
}
