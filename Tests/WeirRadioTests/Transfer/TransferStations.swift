import Foundation
import Synchronization
import Weir
import WeirTesting

@testable import WeirRadio

/// A radio arbiter as a host has one: gives the radio to one at a time, and notes what became of it.
final class TestArbiter: Sendable {
  struct State: Sendable {
    var isHeld = false
    var isQuarantined = false
    var ends: [FileTransferRadioState] = []
    var given = 0
    var mayWait = true
  }

  let clock: GraphClock
  private let state = Mutex(State())

  init(_ clock: GraphClock) { self.clock = clock }

  var log: State { state.withLock { $0 } }
  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  func acquire() async throws -> any FileTransferRadioLease {
    while true {
      let isMine = try state.withLock { state in
        if state.isQuarantined { throw RadioError(.quarantined, "quarantined") }
        if state.isHeld, !state.mayWait { throw RadioError(.busy, "held") }
        guard !state.isHeld else { return false }
        state.isHeld = true
        state.given += 1
        return true
      }
      if isMine { return Lease(arbiter: self) }
      try await clock.sleep(for: .milliseconds(100))
    }
  }

  private struct Lease: FileTransferRadioLease {
    let arbiter: TestArbiter
    func end(_ end: FileTransferRadioState) async {
      arbiter.change { state in
        state.isHeld = false
        state.ends.append(end)
        if end == .quarantined { state.isQuarantined = true }
      }
    }
  }
}

/// Two hosts with their managers, over simulated modems and air, in virtual time.
struct TransferStations: Sendable {
  static let ids: [UInt8] = [0x11, 0x22]
  static let key = Data(0..<16)
  static let initial = ["WORKMODE": "81", "ADDTL": "007", "RATE": "11", "FREQ": "470500000", "ANYRATELEN": "0"]

  let air: SimulatedModems
  let managers: [FileTransferManager]
  let arbiters: [TestArbiter]
  let simulation: Simulation
  let inbound = Inbound()

  final class Inbound: Sendable {
    let answers = Mutex<[[FileTransferOwnership]]>([[], []])
  }

  var clock: GraphClock { air.clock }

  static func request(_ content: [UInt8], from sender: Int = 0) throws -> FileTransferSendRequest {
    try FileTransferSendRequest(
      data: Data(content), sourceShortID: ids[sender], targetShortID: ids[1 - sender], controlKey: key)
  }

  /// Runs a body; all frames that a host hears go to its manager.
  static func run(
    _ simulation: Simulation, version: TransferVersion = .burstSack, faults: FaultScript = FaultScript(),
    link: SimulatedLink = SimulatedLink(), settings: FileTransferRadioSettings? = .turMass,
    transport: (@Sendable (Int, ATModem) -> any FileTransferTransport)? = nil,
    options change: (@Sendable (Int, inout FileTransferOptions) -> Void)? = nil,
    _ body: @escaping @Sendable (TransferStations) async throws -> Void
  ) async throws {
    try await SimulatedModems.run(simulation, .turMass, faults: faults, link: link, settings: initial) { air in
      let arbiters = (0..<2).map { _ in TestArbiter(air.clock) }
      let nonces = Mutex(simulation.seed &* 1_000)
      let managers = (0..<2).map { index in
        var options = FileTransferOptions(
          pacing: TransferPacing(air.channel.modulation, turnAround: .milliseconds(5)), settings: settings)
        options.version = version
        options.clock = air.clock
        options.executor = simulation.executor
        options.commandTimeout = .seconds(1)
        options.nonce = {
          nonces.withLock { nonce in
            nonce &+= 1
            return nonce &* 0x9E37_79B9_7F4A_7C15
          }
        }
        change?(index, &options)
        return FileTransferManager(
          transport: transport?(index, air.hosts[index]) ?? air.hosts[index],
          acquireRadioLease: { try await arbiters[index].acquire() }, options: options)
      }
      let stations = TransferStations(air: air, managers: managers, arbiters: arbiters, simulation: simulation)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<2 { group.addTask { await stations.listen(index) } }
        try await body(stations)
        try await stations.waitUntilIdle()
        group.cancelAll()
        try await group.waitForAll()
      }
    }
  }

  private func listen(_ index: Int) async {
    for await frame in air.hosts[index].received {
      let answer = managers[index].handleInbound(
        Data(frame.payload), metadata: .init(snr: frame.snr, rssiDbm: frame.rssi), localShortID: Self.ids[index]
      ) { $0 == Self.ids[1 - index] ? Self.key : nil }
      inbound.answers.withLock { $0[index].append(answer) }
    }
  }

  /// Takes the next ends of receives of a station.
  func arrivals(_ index: Int) -> AsyncStream<FileArrival> {
    let (stream, outlet) = AsyncStream.makeStream(of: FileArrival.self)
    managers[index].arrivals.set { outlet.yield($0) }
    return stream
  }

  /// Sends a file and waits for both ends.
  func transfer(_ content: [UInt8]) async throws -> (FileTransferResult, FileArrival?) {
    let arrivals = arrivals(1)
    let result = await managers[0].send(try Self.request(content))
    var iterator = arrivals.makeAsyncIterator()
    return (result, await iterator.next())
  }

  /// Waits until no station has a transfer.
  func waitUntilIdle() async throws {
    while managers.contains(where: { $0.desk.active != nil }) { try await clock.sleep(for: .milliseconds(50)) }
  }

  /// AT commands of a modem that set or ask something of it.
  func commands(_ index: Int) -> [String] { air.modems[index].commands.filter { $0.hasPrefix("AT+") } }
}

/// What one manager told its host on the main actor.
final class EventLog: Sendable {
  private let state = Mutex<[FileTransferEvent]>([])
  var all: [FileTransferEvent] { state.withLock { $0 } }

  init(_ manager: FileTransferManager) {
    manager.onEvent = { @MainActor [self] event in
      MainActor.assertIsolated()
      state.withLock { $0.append(event) }
    }
  }

  /// The events in short words.
  var words: [String] {
    all.map { event in
      switch event {
      case .sendProgress: "send progress"
      case .receiveStarted: "started"
      case .receiveProgress: "progress"
      case .receiveFinished(_, let data, let result):
        "finished \(data?.count ?? -1) \(result.outcome == .success)"
      }
    }
  }

  /// Lets the main actor deliver what is on its way.
  static func settle() async { for _ in 0..<50 { await MainActor.run {} } }
}

/// Something that many tasks note things in.
final class Noted<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value { state.withLock { $0 } }
  func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

/// One run in virtual time.
func simulated(seed: UInt64, _ body: @escaping @Sendable (Simulation) async throws -> Void) throws {
  try simulate(seed: seed) { try await body($0) }
}
