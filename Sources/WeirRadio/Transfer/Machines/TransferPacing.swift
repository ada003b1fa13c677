/// How long things take on the radio of a transfer: every timer follows from it, none is a constant.
public struct TransferPacing: Sendable, Hashable {
  /// How bytes become time on the air.
  public var modulation: Modulation
  /// Most bytes of a frame that the modem takes.
  public var maximumFrame: Int
  /// The longest transmission that the region allows; nil for any.
  public var longestTransmission: Duration?
  /// Time to change between sending and hearing.
  public var turnAround: Duration
  /// Time that either host may need before it acts.
  public var hostLatency: Duration
  /// Bits a second on the line to the modem, on which a byte of a payload is two digits; nil for a line that takes no time.
  public var baud: Int?
  /// Most frames of a burst, 1 to 240.
  public var mostBurst = TransferFraming.bitmapSpan
  /// The longest burst: what the other end may have to say, a CANCEL too, waits for so long at most.
  public var longestBurst: Duration = .seconds(60)

  /// The times of a radio.
  public init(
    _ modulation: Modulation, maximumFrame: Int? = nil, longestTransmission: Duration? = nil,
    turnAround: Duration = .milliseconds(10), hostLatency: Duration = .milliseconds(100), baud: Int? = 115_200
  ) {
    self.modulation = modulation
    self.maximumFrame = maximumFrame ?? modulation.maximumBytes
    self.longestTransmission = longestTransmission
    self.turnAround = turnAround
    self.hostLatency = hostLatency
    self.baud = baud
  }

  /// The longest frame, in bytes.
  public var frameLimit: Int {
    let most = min(maximumFrame, modulation.maximumBytes, TransferFraming.maximumLength)
    guard let longestTransmission else { return most }
    return min(most, modulation.mostBytes(within: longestTransmission) ?? 0)
  }

  /// The longest frame of each version that has to fit besides DATA, in bytes.
  static func controlLength(_ version: TransferVersion) -> Int { version == .phyAck ? 39 : 65 }

  /// Bytes of a chunk in the longest frame.
  /// - Throws: ``FileTransferError`` `transport` when frames are so short that not even an INIT and its answer fit.
  func chunk(_ version: TransferVersion) throws(FileTransferError) -> Int {
    let needed = Self.controlLength(version)
    guard frameLimit >= needed else {
      throw .transport("frames of at most \(frameLimit) bytes are too short for a transfer, which needs \(needed)")
    }
    return min(frameLimit - TransferFraming.dataOverhead, TransferGeometry.maximumChunk)
  }

  /// Frames of a burst.
  var burst: Int {
    let byTime = Int(max(1, min(10_000, longestBurst / modulation.timeOnAir(bytes: frameLimit))))
    return max(1, min(mostBurst, byTime, TransferFraming.bitmapSpan))
  }

  /// Frames of P1 between two pauses in which its sender listens for a CANCEL.
  static let framesBetweenPauses = 8
  /// How long it listens.
  var cancelPause: Duration { turnAround * 3 + frameTime(bytes: 21) + hostLatency / 2 }

  /// From handing over a frame until the other host has it.
  func frameTime(bytes: Int) -> Duration {
    lineTime(2 * bytes + 16) + turnAround + modulation.timeOnAir(bytes: bytes) + lineTime(2 * bytes + 48)
  }

  /// Milliseconds in which the modem has to confirm a frame.
  func sendTimeout(bytes: Int) -> Int {
    let time = lineTime(2 * bytes + 48) * 2 + turnAround * 4 + modulation.timeOnAir(bytes: bytes) * 3 / 2 + .seconds(1)
    return Int(min(86_400_000, time / .milliseconds(1)))
  }

  /// From the end of a frame until its answer of so many bytes should be here.
  private func answerTime(bytes: Int) -> Duration {
    // The frame that is answered still has to come over the other end's line.
    (turnAround + frameTime(bytes: bytes)) * 3 / 2 + lineTime(2 * frameLimit + 48) + hostLatency
  }

  /// How long to wait for INIT_ACK.
  var initiationWait: Duration { answerTime(bytes: Self.controlLength(.burstSack)) }
  /// How long to wait for STATUS and for FINISH_ACK.
  var statusWait: Duration { answerTime(bytes: 60) }
  /// How long a receiver hears nothing before it gives up: a whole burst may get lost.
  var idleLimit: Duration { max(.seconds(30), statusWait * 8 + frameTime(bytes: frameLimit) * burst) }

  private func lineTime(_ bytes: Int) -> Duration {
    guard let baud, baud > 0 else { return .zero }
    return .nanoseconds(Int64(clamping: bytes) * 10_000_000_000 / Int64(baud))
  }
}

/// Spreads the times of tries, so that two ends that speak at once do not do so for ever. SplitMix64.
struct TransferJitter: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A time of 75 to 125 % of another.
  mutating func spread(_ time: Duration) -> Duration {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    value ^= value >> 31
    return time * Int(750 + value % 501) / 1_000
  }
}

/// How many frames get lost, as far as is known: never less than the figure of a few hundred frames allows.
struct LossMeter: Sendable {
  /// What is assumed before anything is known, and with the weight of how many frames.
  private static let prior = (loss: 0.3, frames: 8.0)
  /// Older frames count ever less.
  private static let memory = 256.0

  private var lost = prior.loss * prior.frames
  private var seen = prior.frames

  mutating func note(lost newlyLost: Int, of frames: Int) {
    guard frames > 0 else { return }
    lost += Double(max(0, min(newlyLost, frames)))
    seen += Double(frames)
    let factor = min(1, Self.memory / seen)
    (lost, seen) = (lost * factor, seen * factor)
  }

  /// An estimate that is rather too high: two standard deviations above the mean.
  var estimate: Double {
    let mean = lost / seen
    return min(0.9, mean + 2 * (mean * (1 - mean) / seen).squareRoot())
  }
}

/// How many tries make bad luck an improbable reason to give up.
enum TransferBudget {
  /// Tries of an INIT: nothing is known of the link yet.
  static let initiations = 16
  /// Tries of a CANCEL.
  static let cancels = 3
  /// Tries of a frame that the modem does not send.
  static let sends = 3
  /// Tries of a frame of P1 that the other modem does not confirm.
  static let confirmations = 8

  /// Tries of a POLL or FINISH without any progress: 8, and more where so many can fail by the loss that was measured, each
  /// needing two frames to arrive.
  static func polls(loss: Double) -> Int { tries(failing: 1 - (1 - loss) * (1 - loss), least: 8, most: 64) }

  /// How often, in times of a STATUS, a receiver stays to answer once more.
  static func lingers(loss: Double) -> Int { tries(failing: loss, least: 3, most: 32) }

  /// Tries so that all of them fail once in a million times.
  private static func tries(failing probability: Double, least: Int, most: Int) -> Int {
    var (tries, all) = (0, 1.0)
    while tries < most, tries < least || all > 1e-6 {
      all *= max(0, min(1, probability))
      tries += 1
    }
    return tries
  }
}
