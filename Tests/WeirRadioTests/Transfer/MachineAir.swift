import WeirTesting

@testable import WeirRadio

/// Two ends of a transfer and the air between them, as one value in virtual time: half duplex, with loss, damage, duplicates and
/// frames that overtake each other.
struct MachineAir {
  struct Link {
    var loss = 0.0
    var damage = 0.0
    var duplicates = 0.0
    var reordering = 0.0
  }

  enum Arrival {
    case sent(Int, isSent: Bool)
    case heard(Int, [UInt8], start: Duration)
    case woke(Int)
    case event(Int, TransferEvent)
  }

  static let stations: [UInt8] = [0x11, 0x22]
  static let key = try? ControlKey(0..<16)

  var machines: [any TransferMachine]
  let pacing: TransferPacing
  var link = Link()
  var generator: SeededGenerator
  private(set) var now: Duration = .zero
  private var queue: [(at: Duration, order: Int, arrival: Arrival)] = []
  private var order = 0
  private var busyUntil: [Duration] = [.zero, .zero]
  private var busyFrom: [Duration] = [.zero, .zero]
  private var waiting: [[[UInt8]]] = [[], []]
  private var isSending = [false, false]
  /// What each end handed to the radio.
  private(set) var sent: [[TransferType]] = [[], []]
  /// The same of both ends, in their order.
  private(set) var log: [TransferType] = []
  private(set) var payloads: [[[UInt8]]] = [[], []]
  private(set) var endings: [TransferEnding?] = [nil, nil]
  private(set) var finishes = [0, 0]
  private(set) var actions: [[TransferAction]] = [[], []]
  private(set) var rejections: [TransferError] = []
  private(set) var airtime: Duration = .zero
  /// Frames, counted over both ends, that the modem refuses.
  var refusedSends: Set<Int> = []
  /// Frames, counted over both ends, that nobody hears.
  var lostFrames: Set<Int> = []
  /// Whether no DATA is ever heard.
  var losesData = false
  /// How long each end takes before it sends.
  var delays: [Duration] = [.zero, .zero]
  /// A frame, counted over both ends, at which something happens to an end.
  var events: [Int: (end: Int, event: TransferEvent)] = [:]
  private var frameCount = 0
  /// Makes the receiving end of an initiation.
  var makeReceiver: ((TransferPacket) throws -> any TransferMachine)?
  private var steps = 0

  init(_ sender: any TransferMachine, _ receiver: (any TransferMachine)? = nil, pacing: TransferPacing, seed: UInt64) {
    machines = [sender] + (receiver.map { [$0] } ?? [])
    self.pacing = pacing
    generator = SeededGenerator(seed: seed, stream: "air")
  }

  private mutating func schedule(_ arrival: Arrival, at time: Duration) {
    order += 1
    queue.append((max(time, now), order, arrival))
  }

  mutating func tell(_ end: Int, _ event: TransferEvent) {
    guard end < machines.count else { return }
    for action in machines[end].handle(event, at: now) { perform(action, end) }
    if let wake = machines[end].wake { schedule(.woke(end), at: wake) }
  }

  private mutating func perform(_ action: TransferAction, _ end: Int) {
    actions[end].append(action)
    switch action {
    case .send(let bytes):
      waiting[end].append(bytes)
      startSending(end)
    case .finish(let ending):
      endings[end] = ending
      finishes[end] += 1
      waiting[end] = []
    case .leave(let time): schedule(.event(end, .returned), at: now + time)
    default: break
    }
  }

  private mutating func startSending(_ end: Int) {
    guard !isSending[end], !waiting[end].isEmpty else { return }
    let bytes = waiting[end].removeFirst()
    isSending[end] = true
    if let header = TransferHeader(shapeOf: bytes) {
      sent[end].append(header.type)
      log.append(header.type)
    }
    payloads[end].append(bytes)
    defer { frameCount += 1 }
    if let (target, event) = events[frameCount] { schedule(.event(target, event), at: now) }
    if refusedSends.contains(frameCount) {
      schedule(.sent(end, isSent: false), at: now + .milliseconds(5))
      return
    }
    let start = now + pacing.turnAround + delays[end]
    let over = start + pacing.modulation.timeOnAir(bytes: bytes.count)
    airtime += over - start
    busyFrom[end] = start
    busyUntil[end] = over + pacing.turnAround
    schedule(.sent(end, isSent: true), at: over)
    if lostFrames.contains(frameCount) || (losesData && TransferHeader(shapeOf: bytes)?.type == .data) { return }
    for copy in 0..<(fraction() < link.duplicates ? 2 : 1) where fraction() >= link.loss {
      var payload = bytes
      if fraction() < link.damage {
        payload[generator.index(below: payload.count)] ^= UInt8(1 + generator.index(below: 255))
      }
      let late: Duration = fraction() < link.reordering ? (over - start) * (1 + 3 * fraction()) : .zero
      schedule(.heard(1 - end, payload, start: start), at: over + late + .milliseconds(1 + copy))
    }
  }

  private mutating func hear(_ end: Int, _ payload: [UInt8], start: Duration) {
    // Deaf while sending.
    if busyFrom[end] - pacing.turnAround < now, start < busyUntil[end], busyUntil[end] > start { return }
    guard let key = Self.key else { return }
    let isInitiation = TransferHeader(shapeOf: payload)?.type == .initiation
    let machine = end < machines.count ? machines[end] : nil
    let reading = TransferPacket.read(payload, at: Self.stations[end]) {
      isInitiation ? .control(key) : machine?.credentials.authentication(for: $0)
    }
    switch reading {
    case .accepted(let packet):
      if isInitiation, machine == nil {
        guard let receiver = try? makeReceiver?(packet) else { return }
        machines.append(receiver)
        tell(end, .began)
      } else {
        tell(end, .heard(packet, TransferSignal(snr: 9, rssi: -80)))
      }
    case .rejected(let error): rejections.append(error)
    case .notOwned: break
    }
  }

  /// Lets everything happen until both ends are over, or nothing more can.
  mutating func run(until limit: Duration = .seconds(100_000)) {
    tell(0, .began)
    while let next = queue.indices.min(by: { (queue[$0].at, queue[$0].order) < (queue[$1].at, queue[$1].order) }) {
      let (at, _, arrival) = queue.remove(at: next)
      steps += 1
      if at > limit || steps > 400_000 { return }
      now = at
      switch arrival {
      case .sent(let end, let isSent):
        isSending[end] = false
        tell(end, isSent ? .sent : .notSent(reason: "AT_ERROR", isRadioLost: false))
        startSending(end)
      case .heard(let end, let payload, let start): hear(end, payload, start: start)
      case .woke(let end):
        if let wake = machines[end].wake, wake <= now { tell(end, .woke) }
      case .event(let end, let event): tell(end, event)
      }
      if endings[0] != nil, machines.count < 2 || endings[1] != nil { return }
    }
  }

  // MARK: Pairs

  static func lora(_ spreadingFactor: Int = 7) throws -> TransferPacing {
    TransferPacing(.lora(try LoRaModulation(spreadingFactor: spreadingFactor)), baud: nil)
  }

  /// A transfer in P2.
  static func burst(
    _ content: [UInt8], seed: UInt64, link: Link = Link(), pacing: TransferPacing? = nil,
    refusal: TransferRefusal? = nil,
    partial: TransferPartial? = nil
  ) throws -> MachineAir {
    let pacing = try pacing ?? lora()
    guard let key else { throw TransferError(.invalidControlKey, "no key") }
    let sender = try BurstSender(
      TransferContent(content), from: stations[0], to: stations[1], key: key, pacing: pacing, nonce: seed &* 77 &+ 5)
    var air = MachineAir(sender, pacing: pacing, seed: seed)
    air.link = link
    air.makeReceiver = { packet in
      guard case .initiation(let initiation) = packet.frame else { throw TransferError(.protocolMalformed, "no INIT") }
      var partials = TransferPartials()
      if let partial { partials.keep(partial, at: .zero) }
      return try BurstReceiver(
        initiation, number: packet.session, from: packet.source, to: packet.destination, key: key, pacing: pacing,
        nonce: seed &* 91 &+ 7, refusal: refusal,
        partial: partials.partial(for: initiation, from: packet.source, at: .zero))
    }
    return air
  }

  /// A transfer in P1.
  static func phy(_ content: [UInt8], seed: UInt64, link: Link = Link()) throws -> MachineAir {
    let pacing = try lora()
    guard let key else { throw TransferError(.invalidControlKey, "no key") }
    let sender = try PhySender(
      content, from: stations[0], to: stations[1], key: key, pacing: pacing, nonce: seed &* 77 &+ 5)
    var air = MachineAir(sender, pacing: pacing, seed: seed)
    air.link = link
    air.makeReceiver = { packet in
      guard case .fileInitiation(let initiation) = packet.frame else {
        throw TransferError(.protocolMalformed, "no FILE_INIT")
      }
      return try PhyReceiver(
        initiation, number: packet.session, from: packet.source, to: packet.destination, key: key, pacing: pacing)
    }
    return air
  }

  private mutating func fraction() -> Double { Double(generator.index(below: 1 << 20)) / Double(1 << 20) }

  /// Bytes that no codec makes smaller.
  static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed, stream: "noise")
    return (0..<count).map { _ in UInt8(generator.index(below: 256)) }
  }
}
