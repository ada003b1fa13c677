/// What happens to one end of a transfer.
enum TransferEvent: Sendable {
  /// The radio is ours and set up.
  case began
  /// A frame of this transfer, undamaged and authentic.
  case heard(TransferPacket, TransferSignal)
  /// Somebody else was on the air for a time.
  case heardForeign(Duration)
  /// The first frame that is on its way has been sent.
  case sent
  /// The first frame that is on its way has not been sent; `isRadioLost` when no later one will be either.
  case notSent(reason: String, isRadioLost: Bool)
  /// The time of ``TransferMachine/wake`` may have come.
  case woke
  /// This end gives up, because somebody wants it.
  case cancelled
  /// This end gives up, because its radio fails.
  case radioFailed(String)
  /// Chat for the other end.
  case said([UInt8])
  /// For how long the region lets this end send nothing.
  case heldBack(Duration)
  /// Others need the radio for a time.
  case wantsPause(Duration)
  /// The radio is ours again.
  case returned
  /// The other end has begun something new, so it does not wait for anything of this.
  case superseded
}

/// What one end of a transfer wants done.
enum TransferAction: Sendable, Equatable {
  /// A frame to send: behind all that were wanted before.
  case send([UInt8])
  /// The other end takes part: the transfer has begun.
  case started(totalBytes: Int)
  /// Bytes on the air that are known to be there.
  case progress(done: Int, of: Int)
  /// Chat from the other end.
  case heardMessage([UInt8])
  /// Ask the radio whether it is still set up as it was: nothing has been heard for long.
  case probe
  /// A good moment to write down what is here.
  case checkpoint
  /// Put the radio back as it was, let others have it for a time, and set it up again.
  case leave(Duration)
  /// It is over. Nothing follows.
  case finish(TransferEnding)
}

/// How a transfer ended, seen from one end.
enum TransferEnding: Sendable, Equatable {
  /// The other end has all of it.
  case sent
  /// All of it is here and right.
  case received([UInt8])
  /// This end gave up because somebody wanted it.
  case cancelledLocal
  /// The other end gave up because somebody wanted it.
  case cancelledRemote
  /// Something went wrong.
  case failed(FileTransferError)
  /// The receiver did not take the file.
  case refused(TransferRefusal)
}

/// One end of a transfer as a value: no clock, no radio, no task. Whoever runs it tells it what happens, and does what it wants.
protocol TransferMachine: Sendable {
  /// Takes note of what happened; what is to be done about it, in order.
  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction]
  /// When it wants to be woken, whatever else happens; nil for not at all.
  var wake: Duration? { get }
  /// What tells its frames from others.
  var credentials: TransferCredentials { get }
  /// Whether the other end is heard badly.
  var isWeak: Bool { get }
  /// What is here of a content that is not whole.
  var partial: TransferPartial? { get }
  /// Under what it would be kept.
  var partialKey: TransferPartial.Key? { get }
  /// How it goes.
  var counts: TransferCounts { get }
}

extension TransferMachine {
  var isWeak: Bool { false }
  var partial: TransferPartial? { nil }
  var partialKey: TransferPartial.Key? { nil }
  var counts: TransferCounts { TransferCounts() }
}

/// How well a frame was heard.
struct TransferSignal: Sendable, Equatable {
  var snr: Double?
  var rssi: Int?
}

/// Whether the signal is weak. It takes more to leave a state than to stay in it, so it does not flicker (radio study, C42).
struct SignalMeter: Sendable {
  /// Decibels of signal to noise: weak below the first, good again above the second.
  static let snr = (weak: 0.0, good: 3.0)
  /// dBm: weak below the first, good again above the second.
  static let rssi = (weak: -112.0, good: -106.0)

  private(set) var isWeak = false
  private var meanSnr: Double?
  private var meanRssi: Double?

  mutating func note(_ signal: TransferSignal) {
    meanSnr = Self.mixed(meanSnr, signal.snr)
    meanRssi = Self.mixed(meanRssi, signal.rssi.map(Double.init))
    if meanSnr.map({ $0 < Self.snr.weak }) == true || meanRssi.map({ $0 < Self.rssi.weak }) == true {
      isWeak = true
    } else if meanSnr.map({ $0 > Self.snr.good }) ?? true, meanRssi.map({ $0 > Self.rssi.good }) ?? true {
      isWeak = false
    }
  }

  /// In quarters of a decibel, as a STATUS says it.
  var quarterDecibels: Int8? { meanSnr.map { Int8(max(-127, min(127, ($0 * 4).rounded()))) } }

  private static func mixed(_ mean: Double?, _ new: Double?) -> Double? {
    guard let new, new.isFinite else { return mean }
    return mean.map { $0 + (new - $0) / 4 } ?? new
  }
}
