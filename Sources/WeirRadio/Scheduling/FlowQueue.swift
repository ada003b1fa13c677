import Weir

/// A frame that waits, with what the scheduler knows of it.
struct WaitingFrame: Sendable {
  let id: FrameID
  var frame: RadioFrame
  let channel: RadioChannel
  /// Which of the scheduler's ledgers counts it.
  let subBand: Int
  /// Time on air.
  let airtime: Duration
  /// Time on air and the change of direction after it: what fairness is measured in.
  let cost: Duration
  let offered: Duration
  /// When it is of no use any more; nil for never.
  let deadline: Duration?

  /// Whether its last bit would be out too late if it started now.
  func isExpired(at now: Duration) -> Bool { deadline.map { now + airtime > $0 } ?? false }

  func report(_ fate: FrameFate) -> FrameReport {
    FrameReport(id: id, frameClass: frame.frameClass, flow: frame.flow, token: frame.token, fate: fate)
  }
}

/// The waiting frames of one flow, in order, and its account with the others of its class.
struct FlowQueue: Sendable {
  let name: String
  var frames: [WaitingFrame] = []
  /// Time on air that waits.
  var airtime: Duration
  /// Time it may still send before the next flow has its turn.
  var deficit: Duration
}

/// The waiting frames of one class: flows take turns, measured by time on air (deficit round robin), frames of a flow stay
/// in order.
///
/// Memory: bounded by the rules of the class (``ClassRules/frames``), and by ``rememberedFlows`` names of flows that were
/// served lately, so that a flow which comes and goes gets its first quantum once an interval.
struct ClassQueue: Sendable {
  static let rememberedFlows = 256

  private(set) var flows: [FlowQueue] = []
  /// Flow whose turn it is.
  private var turn = 0
  private(set) var count = 0
  /// Time on air that waits.
  private(set) var airtime: Duration = .zero
  /// When flows that are empty now got their first quantum.
  private var greeted: [String: Duration] = [:]
  private let greetingInterval: Duration

  init(greetingInterval: Duration) { self.greetingInterval = greetingInterval }

  var isEmpty: Bool { count == 0 }
  var frames: [WaitingFrame] { flows.flatMap(\.frames) }

  mutating func append(_ frame: WaitingFrame, quantum: Duration, at now: Duration) {
    count += 1
    airtime += frame.airtime
    if let index = flows.firstIndex(where: { $0.name == frame.frame.flow }) {
      flows[index].frames.append(frame)
      flows[index].airtime += frame.airtime
      return
    }
    let isNew = greeted[frame.frame.flow].map { now - $0 >= greetingInterval } ?? true
    if isNew {
      if greeted.count >= ClassQueue.rememberedFlows { greeted = greeted.filter { now - $0.value < greetingInterval } }
      if greeted.count < ClassQueue.rememberedFlows { greeted[frame.frame.flow] = now }
    }
    flows.append(
      FlowQueue(
        name: frame.frame.flow, frames: [frame], airtime: frame.airtime, deficit: isNew ? quantum : .zero))
  }

  /// Whether a frame fits into a queue of `limit`: all of it, or what an even split would give to its flow, up to twice the
  /// limit. A flow that fills the queue keeps no other out.
  func hasRoom(for frame: WaitingFrame, within limit: Duration) -> Bool {
    if isEmpty || airtime + frame.airtime <= limit { return true }
    let own = flows.first { $0.name == frame.frame.flow }
    let share = limit / (flows.count + (own == nil ? 1 : 0))
    return (own?.airtime ?? .zero) + frame.airtime <= share && airtime + frame.airtime <= limit * 2
  }

  /// Puts a frame in the place of an older one with its key; the place is kept, so that constant renewal cannot starve
  /// itself.
  /// - Returns: the replaced frame; nil when there was none.
  mutating func replace(with frame: WaitingFrame) -> WaitingFrame? {
    guard let key = frame.frame.coalescingKey else { return nil }
    for flow in flows.indices where flows[flow].name == frame.frame.flow {
      guard let index = flows[flow].frames.firstIndex(where: { $0.frame.coalescingKey == key }) else { continue }
      let old = flows[flow].frames[index]
      flows[flow].frames[index] = frame
      flows[flow].airtime += frame.airtime - old.airtime
      airtime += frame.airtime - old.airtime
      return old
    }
    return nil
  }

  /// The frame whose turn it is among the first of each flow that `isReady`, taken out.
  mutating func next(quantum: Duration, where isReady: (WaitingFrame) -> Bool) -> WaitingFrame? {
    // The same for all, and enough for the longest that is first: else a flow of long frames would get more of the air.
    let quantum = flows.reduce(quantum) { max($0, $1.frames.first?.cost ?? .zero) }
    // Each flow is passed by at most twice: a quantum covers any frame.
    for _ in 0..<(2 * flows.count) {
      if turn >= flows.count { turn = 0 }
      guard let first = flows[turn].frames.first, isReady(first) else {
        turn += 1
        continue
      }
      if flows[turn].deficit >= first.cost {
        flows[turn].deficit -= first.cost
        return remove(flow: turn, frame: 0)
      }
      flows[turn].deficit = min(flows[turn].deficit + quantum, quantum * 2)
      turn += 1
    }
    return nil
  }

  /// Takes out all frames that match, in the order of their numbers.
  mutating func removeAll(where matches: (WaitingFrame) -> Bool) -> [WaitingFrame] {
    var removed: [WaitingFrame] = []
    for flow in flows.indices.reversed() {
      let leaving = flows[flow].frames.filter(matches)
      guard !leaving.isEmpty else { continue }
      removed += leaving
      flows[flow].frames.removeAll(where: matches)
      count -= leaving.count
      let gone = leaving.reduce(Duration.zero) { $0 + $1.airtime }
      flows[flow].airtime -= gone
      airtime -= gone
      if flows[flow].frames.isEmpty { drop(flow: flow) }
    }
    return removed.sorted { $0.id < $1.id }
  }

  mutating func removeOldest() -> WaitingFrame? { remove { $0.id < $1.id } }
  mutating func removeNewest() -> WaitingFrame? { remove { $0.id > $1.id } }

  private mutating func remove(first precedes: (WaitingFrame, WaitingFrame) -> Bool) -> WaitingFrame? {
    var best: (flow: Int, frame: Int)?
    for flow in flows.indices {
      for frame in flows[flow].frames.indices {
        guard let present = best else {
          best = (flow, frame)
          continue
        }
        if precedes(flows[flow].frames[frame], flows[present.flow].frames[present.frame]) { best = (flow, frame) }
      }
    }
    return best.map { remove(flow: $0.flow, frame: $0.frame) }
  }

  private mutating func remove(flow: Int, frame: Int) -> WaitingFrame {
    let removed = flows[flow].frames.remove(at: frame)
    count -= 1
    airtime -= removed.airtime
    flows[flow].airtime -= removed.airtime
    if flows[flow].frames.isEmpty { drop(flow: flow) }
    return removed
  }

  private mutating func drop(flow: Int) {
    flows.remove(at: flow)
    if flow < turn { turn -= 1 }
  }
}
