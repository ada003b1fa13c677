/// When to start on a channel that others use: p-persistent carrier sense, as a value without a clock or a modem.
///
/// Waits and windows follow the modulation: a slot of 100 ms would be an age on a fast channel and nothing on a slow one. A
/// channel that stays busy never becomes a reason to send anyway: the start is put off, counted, and after some times the
/// radio is looked after (radio study, section 3).
public struct ChannelAccess: Sendable {
  /// How a channel is listened to.
  public struct Options: Sendable, Hashable {
    /// Chance, in 256ths, to start in a slot that is free; KISS's standard is 63.
    public var persistence = 63
    /// Time a modem needs to turn from listening to sending.
    public var turnAround: Duration = .milliseconds(8)
    /// How long a channel may be heard busy before the start is put off.
    public var patience: Duration = .seconds(4)
    /// Starts put off in a row before the radio is recovered.
    public var deferrals = 8

    /// The standard.
    public init() {}
  }

  /// What to do next.
  public enum Action: Sendable, Equatable {
    /// Wait, then ask again.
    case wait(Duration)
    /// Listen, then say what was heard.
    case listen
    /// Start now.
    case transmit
    /// Give up for now and see what goes first then.
    case putOff
    /// The channel has been busy for so long that the radio itself is suspect.
    case recover
  }

  private let options: Options
  private let slot: Duration
  private var exponent = 3
  private var busySince: Duration?
  private var deferrals = 0

  /// For a channel of a modulation: a slot is the time to detect a signal, and to turn around.
  public init(_ modulation: Modulation, options: Options = Options()) {
    self.options = options
    slot = modulation.detectionTime + max(.zero, options.turnAround)
  }

  /// Begins anew for a frame of a class.
  /// - Parameter use: how much of the channel others use, in percent; more makes the window wider, from 2^3 to 2^8 slots.
  public mutating func begin(_ frameClass: FrameClass, use: Int, _ generator: inout some RandomNumberGenerator)
    -> Action
  {
    exponent = 3 + min(max(0, use), 100) * 5 / 100
    busySince = nil
    // What others wait for goes first: control waits an eighth of the window, voice and chat a half.
    let window =
      switch frameClass {
      case .control: max(1, (1 << exponent) / 8)
      case .voice, .chat: (1 << exponent) / 2
      case .presence, .file, .background: 1 << exponent
      }
    return .wait(slot * Int.random(in: 0..<window, using: &generator))
  }

  /// After a wait: what comes next.
  public mutating func waited() -> Action {
    return .listen
  }

  /// After listening.
  public mutating func heard(
    busy: Bool, at now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> Action {
    guard busy else {
      busySince = nil
      if Int.random(in: 0..<256, using: &generator) <= min(max(0, options.persistence), 255) {
        deferrals = 0
        return .transmit
      }
      return .wait(slot)
    }
    let since = busySince ?? now
    busySince = since
    if now - since >= options.patience {
      deferrals += 1
      guard deferrals < max(1, options.deferrals) else {
        deferrals = 0
        return .recover
      }
      return .putOff
    }
    exponent = min(8, exponent + 1)
    return .wait(slot * Int.random(in: 1...(1 << exponent), using: &generator))
  }
}
