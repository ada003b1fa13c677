/// What a frame is for: decides who goes first, and what becomes of frames for which there is no room (radio study,
/// section 3).
public enum FrameClass: Int, Sendable, Hashable, CaseIterable, Comparable, CustomStringConvertible {
  /// Acknowledgements, status, polls, cancels: what keeps the others short.
  case control = 0
  /// Bursts of speech: worthless when late.
  case voice = 1
  /// Texts and receipts.
  case chat = 2
  /// Typing and presence: only the newest counts.
  case presence = 3
  /// Data of files.
  case file = 4
  /// Telemetry and adverts.
  case background = 5

  public static func < (first: FrameClass, second: FrameClass) -> Bool { first.rawValue < second.rawValue }

  public var description: String {
    switch self {
    case .control: "control"
    case .voice: "voice"
    case .chat: "chat"
    case .presence: "presence"
    case .file: "file"
    case .background: "background"
    }
  }
}

/// What happens to a frame for whose class there is no room.
public enum FullQueuePolicy: Sendable, Hashable {
  /// The newest frame of the lowest class that holds any gives way; with none lower, the new frame is rejected.
  case evictLowest
  /// The oldest frame of the class gives way.
  case dropOldest
  /// Producers wait; an offer that does not wait is rejected, with an estimate.
  case wait
  /// The new frame is rejected.
  case dropNewest
}

/// How a class of frames is treated.
public struct ClassRules: Sendable, Hashable {
  /// How long a frame is worth sending, unless it says so itself; nil for ever.
  public var timeToLive: Duration?
  /// Most time on air that may wait; nil for no bound but that of ``frames``. A frame is admitted into an empty queue
  /// whatever its length, and a flow gets what an even split would give it even if others fill the queue, up to twice the
  /// bound in all.
  public var queue: Duration?
  /// Most frames that may wait, whatever their length.
  public var frames: Int
  /// What happens when the queue is full.
  public var whenFull: FullQueuePolicy
  /// Whether frames with one coalescing key replace each other.
  public var coalesces: Bool
  /// Share of the air that the class gets when it has something to send, in percent of the time used by others.
  public var guaranteedShare: Int
  /// Whether frames that wait too long for a standing queue are dropped.
  public var isDroppable: Bool
  /// Use of the channel by others, in percent, from which the class stays silent; nil for never.
  public var politeness: Int?

  /// Rules of one's own.
  public init(
    timeToLive: Duration?, queue: Duration?, frames: Int = 1_024, whenFull: FullQueuePolicy, coalesces: Bool = false,
    guaranteedShare: Int = 0, isDroppable: Bool = false, politeness: Int? = nil
  ) {
    self.timeToLive = timeToLive
    self.queue = queue
    self.frames = frames
    self.whenFull = whenFull
    self.coalesces = coalesces
    self.guaranteedShare = guaranteedShare
    self.isDroppable = isDroppable
    self.politeness = politeness
  }

  /// The rules of the radio study, section 3, for a class.
  public static func standard(_ frameClass: FrameClass) -> ClassRules {
    switch frameClass {
    case .control:
      ClassRules(timeToLive: .seconds(10), queue: .seconds(5), whenFull: .evictLowest, coalesces: true)
    case .voice:
      ClassRules(timeToLive: .seconds(1), queue: .seconds(1), whenFull: .dropOldest, isDroppable: true)
    case .chat:
      ClassRules(timeToLive: .seconds(900), queue: .seconds(5), whenFull: .wait, guaranteedShare: 20)
    case .presence:
      ClassRules(
        timeToLive: .seconds(60), queue: .seconds(2), whenFull: .dropOldest, coalesces: true, isDroppable: true)
    case .file:
      ClassRules(
        timeToLive: nil, queue: nil, frames: 2, whenFull: .wait, guaranteedShare: 10, politeness: 40)
    case .background:
      ClassRules(
        timeToLive: .seconds(60), queue: .seconds(5), whenFull: .dropNewest, coalesces: true, guaranteedShare: 2,
        isDroppable: true, politeness: 25)
    }
  }
}
