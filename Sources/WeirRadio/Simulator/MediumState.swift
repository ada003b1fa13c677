/// How one radio hears another; the other way may differ.
public struct SimulatedLink: Sendable, Hashable {
  /// Strength in dBm at the hearer.
  public var rssi: Int
  /// Signal to noise in dB.
  public var snr: Double
  /// Frames lost on their own.
  public var loss: LossModel
  /// Part of the frames whose bits are damaged and dropped by the modem's own check.
  public var corruption: Double
  /// Part of the frames whose bits are damaged, and no check sees it.
  public var unseenCorruption: Double
  /// Part of the frames that are heard twice.
  public var duplicates: Double

  /// A link; a good one unless said.
  public init(
    rssi: Int = -80, snr: Double = 9, loss: LossModel = .none, corruption: Double = 0, unseenCorruption: Double = 0,
    duplicates: Double = 0
  ) {
    self.rssi = rssi
    self.snr = snr
    self.loss = loss
    self.corruption = corruption
    self.unseenCorruption = unseenCorruption
    self.duplicates = duplicates
  }
}

/// What became of the frames of a link.
public struct LinkCounts: Sendable, Hashable {
  /// Frames that the other radio sent.
  public internal(set) var sent = 0
  /// Of these, frames that were heard, damaged ones that no check sees included.
  public internal(set) var heard = 0
  /// Frames lost on their own.
  public internal(set) var lost = 0
  /// Frames under which another radio was heard, not weaker by 6 dB.
  public internal(set) var collided = 0
  /// Frames while the hearer sent, or turned around.
  public internal(set) var deaf = 0
  /// Frames whose damage was seen.
  public internal(set) var corrupted = 0
  /// Frames on a channel to which the hearer is not set.
  public internal(set) var elsewhere = 0
}

/// Who is on the air, who hears whom, and what is lost. A value without clock; ``Medium`` runs it.
struct MediumState: Sendable {
  struct Pair: Hashable, Sendable {
    let from: Int
    let to: Int
  }

  struct Transmission: Sendable {
    let id: Int
    let from: Int
    let payload: [UInt8]
    let channel: RadioChannel
    let start: Duration
    let end: Duration
  }

  struct Delivery: Sendable, Equatable {
    let to: Int
    let frame: ReceivedFrame
  }

  private struct Line: Sendable {
    var link: SimulatedLink
    var course = LossModel.Course()
    var generator: SimulatorGenerator
    var counts = LinkCounts()
  }

  /// A stronger frame is heard through a weaker one from this difference on, in dB.
  static let capture = 6

  private let seed: UInt64
  let turnAround: Duration
  private var lines: [Pair: Line] = [:]
  /// What is on the air, and what was while any of these began.
  private var air: [Transmission] = []
  private var ongoing: Set<Int> = []
  /// The channel a radio listens to.
  private var tuned: [Int: RadioChannel] = [:]
  private var nextID = 0

  init(seed: UInt64, turnAround: Duration) {
    self.seed = seed
    self.turnAround = turnAround
  }

  mutating func connect(_ pair: Pair, _ link: SimulatedLink) {
    if lines[pair] != nil {
      lines[pair]?.link = link
    } else {
      let stream = UInt64(truncatingIfNeeded: pair.from) &* 0x1_0000_0001 ^ UInt64(truncatingIfNeeded: pair.to) << 17
      lines[pair] = Line(link: link, generator: SimulatorGenerator(seed: seed, stream: stream))
    }
  }

  mutating func tune(_ radio: Int, to channel: RadioChannel) { tuned[radio] = channel }

  func counts(_ pair: Pair) -> LinkCounts { lines[pair]?.counts ?? LinkCounts() }

  /// A radio begins to send.
  mutating func begin(from radio: Int, _ payload: [UInt8], on channel: RadioChannel, at now: Duration) -> Transmission {
    forget()
    nextID += 1
    let transmission = Transmission(
      id: nextID, from: radio, payload: payload, channel: channel, start: now,
      end: now + channel.modulation.timeOnAir(bytes: payload.count))
    air.append(transmission)
    ongoing.insert(nextID)
    return transmission
  }

  /// A transmission is over; who heard it. One that was cut short is heard by nobody.
  mutating func end(_ transmission: Transmission, isWhole: Bool) -> [Delivery] {
    defer { ongoing.remove(transmission.id) }
    guard isWhole else { return [] }
    var deliveries: [Delivery] = []
    for pair in lines.keys.filter({ $0.from == transmission.from }).sorted(by: { $0.to < $1.to }) {
      for frame in hear(transmission, pair) { deliveries.append(Delivery(to: pair.to, frame: frame)) }
    }
    return deliveries
  }

  /// Whether a radio hears anybody on a channel.
  func isBusy(at radio: Int, on channel: RadioChannel, now: Duration) -> Bool {
    air.contains { other in
      other.channel == channel && other.start <= now && now < other.end && ongoing.contains(other.id)
        && lines[Pair(from: other.from, to: radio)] != nil
    }
  }

  private mutating func hear(_ transmission: Transmission, _ pair: Pair) -> [ReceivedFrame] {
    guard var line = lines[pair] else { return [] }
    defer { lines[pair] = line }
    line.counts.sent += 1
    // Every frame draws as often, so that what one frame meets does not change the fortune of those after it.
    let isLost = line.course.losesNext(line.link.loss, &line.generator)
    let isCorrupted = line.generator.fraction() < line.link.corruption
    let isDamaged = line.generator.fraction() < line.link.unseenCorruption
    let isTwice = line.generator.fraction() < line.link.duplicates
    let bit = line.generator.index(below: transmission.payload.count * 8)
    if let channel = tuned[pair.to], channel != transmission.channel {
      line.counts.elsewhere += 1
    } else if isDeaf(pair.to, during: transmission) {
      line.counts.deaf += 1
    } else if isDrowned(transmission, at: pair.to, line.link.rssi) {
      line.counts.collided += 1
    } else if isLost {
      line.counts.lost += 1
    } else if isCorrupted {
      line.counts.corrupted += 1
    } else {
      line.counts.heard += 1
      var frame = ReceivedFrame(payload: transmission.payload, rssi: line.link.rssi, snr: line.link.snr)
      if isDamaged, !frame.payload.isEmpty { frame.payload[bit / 8] ^= 1 << UInt8(bit % 8) }
      return isTwice ? [frame, frame] : [frame]
    }
    return []
  }

  private func isDeaf(_ radio: Int, during frame: Transmission) -> Bool {
    air.contains { $0.from == radio && $0.start - turnAround < frame.end && frame.start < $0.end + turnAround }
  }

  private func isDrowned(_ frame: Transmission, at radio: Int, _ rssi: Int) -> Bool {
    air.contains { other in
      guard other.id != frame.id, other.channel == frame.channel, other.start < frame.end, frame.start < other.end,
        let line = lines[Pair(from: other.from, to: radio)]
      else { return false }
      return rssi - line.link.rssi < MediumState.capture
    }
  }

  /// Drops what can neither collide with nor deafen for anything that is on the air.
  private mutating func forget() {
    let first = air.filter { ongoing.contains($0.id) }.map(\.start).min()
    air.removeAll { one in
      guard !ongoing.contains(one.id) else { return false }
      return first.map { one.end + turnAround <= $0 } ?? false
    }
    if ongoing.isEmpty, let last = air.last { air = [last] }
  }
}
