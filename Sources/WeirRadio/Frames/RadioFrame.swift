/// Where and how a frame is sent.
public struct RadioChannel: Sendable, Hashable {
  /// Hertz.
  public let frequency: Int
  /// How bytes become time.
  public let modulation: Modulation

  /// A channel.
  public init(frequency: Int, modulation: Modulation) {
    self.frequency = frequency
    self.modulation = modulation
  }
}

/// A frame that somebody wants sent.
public struct RadioFrame: Sendable, Hashable {
  /// What it is for.
  public var frameClass: FrameClass
  /// Frames of one flow are sent in order; flows of a class share its air evenly. Often the peer.
  public var flow: String
  /// The bytes as they go on the air.
  public var payload: [UInt8]
  /// How long it is worth sending; nil for the class's own time.
  public var timeToLive: Duration?
  /// A later frame with the same key and class takes this one's place, where the class coalesces.
  public var coalescingKey: String?
  /// Frames with this token can be taken back together; nil for none.
  public var token: UInt64?
  /// Where to send it; nil for the scheduler's own channel.
  public var channel: RadioChannel?

  /// A frame.
  public init(
    _ frameClass: FrameClass, flow: String = "", payload: [UInt8], timeToLive: Duration? = nil,
    coalescingKey: String? = nil, token: UInt64? = nil, channel: RadioChannel? = nil
  ) {
    self.frameClass = frameClass
    self.flow = flow
    self.payload = payload
    self.timeToLive = timeToLive
    self.coalescingKey = coalescingKey
    self.token = token
    self.channel = channel
  }
}

/// The number of a frame within its scheduler, in the order in which frames were offered.
public struct FrameID: Sendable, Hashable, Comparable, CustomStringConvertible {
  let number: UInt64
  public static func < (first: FrameID, second: FrameID) -> Bool { first.number < second.number }
  public var description: String { "frame \(number)" }
}

/// How an offered frame ended: each has exactly one.
public enum FrameFate: Sendable, Equatable {
  /// The modem confirmed it. `afterCancel` when somebody took it back while it was on the air.
  case sent(airtime: Duration, latency: Duration, afterCancel: Bool)
  /// The modem said no, or said nothing in time.
  case failed(RadioError)
  /// It would have been of no use any more when its last bit was out.
  case expired
  /// A newer frame took its place.
  case coalesced(by: FrameID)
  /// It was taken back before it was sent.
  case cancelled
  /// There was no room for it, or it gave its room to another.
  case rejected(Rejection)

  /// The kinds of fate, as counted.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Confirmed by the modem.
    case sent
    /// Refused by the modem, or not answered in time.
    case failed
    /// Of no use any more.
    case expired
    /// Replaced by a newer one.
    case coalesced
    /// Taken back.
    case cancelled
    /// Without room.
    case rejected
  }

  /// What kind of fate it is.
  public var kind: Kind {
    switch self {
    case .sent: .sent
    case .failed: .failed
    case .expired: .expired
    case .coalesced: .coalesced
    case .cancelled: .cancelled
    case .rejected: .rejected
    }
  }
}

/// Why a frame found no room.
public enum Rejection: Sendable, Equatable {
  /// The queue of its class is full. `estimatedWait` until there is room, if nothing of a higher class comes; nil when the
  /// window has to move on by an unknown time.
  case queueFull(estimatedWait: Duration?)
  /// It was in the queue and had to make room.
  case displaced
  /// It had waited too long in a queue that does not empty.
  case standingQueue
  /// It can never be sent.
  case impossible(RadioError)
  /// The radio is quarantined, and frames of its class are not kept.
  case quarantined
}

/// What became of one frame.
public struct FrameReport: Sendable, Equatable {
  /// Which frame.
  public let id: FrameID
  /// Its class.
  public let frameClass: FrameClass
  /// Its flow.
  public let flow: String
  /// Its token, if it had one.
  public let token: UInt64?
  /// How it ended.
  public let fate: FrameFate
}
