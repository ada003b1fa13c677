import Foundation
import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// The radio before, during and after a transfer (radio study, C8 to C28).
@Suite struct RestorationTests {
  /// Which commands fail, by how many of the same text went before.
  struct Failing: Sendable {
    let error: @Sendable (String, Int) -> (any Error)?
    init(_ error: @escaping @Sendable (String, Int) -> (any Error)?) { self.error = error }
  }

  /// A transport that notes what it is asked, in order, with the state of the lease, and fails where it is told to.
  final class Witness: FileTransferTransport {
    struct Call: Sendable, Equatable {
      let text: String
      let isLeased: Bool
    }
    let modem: ATModem
    let arbiter = Noted<TestArbiter?>(nil)
    let calls = Noted([Call]())
    let failures: Failing

    init(_ modem: ATModem, failures: Failing) {
      self.modem = modem
      self.failures = failures
    }

    private func note(_ text: String) throws {
      let isLeased = arbiter.value?.log.isHeld ?? true
      let before = calls.value.filter { $0.text == text }.count
      calls.change { $0.append(Call(text: text, isLeased: isLeased)) }
      if let error = failures.error(text, before) { throw error }
    }

    func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] {
      try note(command)
      return try await modem.runAtCommand(command, timeoutMs: timeoutMs, log: log)
    }

    func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws {
      try note("frame")
      try await modem.sendRfPayload(payload, timeoutMs: timeoutMs)
    }

    var texts: [String] { calls.value.map(\.text) }
  }

  private static let content = MachineAir.noise(2_000)
  private static let snapshot = ["AT+ADDTL?", "AT+RATE?", "AT+FREQ?", "AT+WORKMODE?"]

  /// Sends a file through a witness.
  private func send(
    seed: UInt64 = 1, settings: FileTransferRadioSettings? = .turMass, faults: FaultScript = FaultScript(),
    failures: Failing = Failing { _, _ in nil },
    check: @escaping @Sendable (TransferStations, FileTransferResult, Witness) throws -> Void
  ) throws {
    try simulated(seed: seed) { simulation in
      let witness = Noted<Witness?>(nil)
      try await TransferStations.run(
        simulation, faults: faults, settings: settings,
        transport: { index, modem in
          guard index == 0 else { return modem }
          let made = Witness(modem, failures: failures)
          witness.change { $0 = made }
          return made
        }
      ) { stations in
        guard let made = witness.value else { throw RequirementFailed() }
        made.arbiter.change { $0 = stations.arbiters[0] }
        let result = await stations.managers[0].send(try TransferStations.request(Self.content))
        try check(stations, result, made)
      }
    }
  }

  @Test
  func `C8 C13 C16 C17 C18 C19 every command is under the lease, reads come first, and FREQ is written only back`()
    throws
  {
    try send { stations, result, witness in
      let texts = witness.texts
      let simulation = stations.simulation
      try simulation.require(result.outcome == .success && result.restoration == .restored, "\(result)")
      try simulation.require(witness.calls.value.allSatisfy(\.isLeased), "outside of the lease")
      try simulation.require(Array(texts.prefix(4)) == Self.snapshot, "\(texts)")
      let writes = texts.filter { $0.contains("=") }
      let names = Set(writes.map { String($0.dropFirst(3).prefix { $0 != "=" }) })
      try simulation.require(names.isSubset(of: ["WORKMODE", "ADDTL", "RATE", "ANYRATELEN", "FREQ"]), "\(names)")
      try simulation.require(!texts.contains("AT+ANYRATELEN?"))
      let lastFrame = texts.lastIndex(of: "frame") ?? texts.endIndex
      let frequencies = texts.indices.filter { texts[$0].hasPrefix("AT+FREQ=") }
      try simulation.require(frequencies.allSatisfy { $0 > lastFrame }, "FREQ during the transfer")
      try simulation.require(frequencies.map { texts[$0] } == ["AT+FREQ=470500000"])
      try simulation.require(stations.arbiters[0].log.ends == [.restored])
    }
  }

  @Test func `C20 C27 C28 captured values come back byte for byte and are read again, ANYRATELEN is not among them`()
    throws
  {
    try send { stations, _, witness in
      let texts = witness.texts
      let simulation = stations.simulation
      let behind = texts[(texts.lastIndex(of: "frame") ?? 0)...].dropFirst()
      try simulation.require(
        Array(behind) == [
          "AT+ADDTL=007", "AT+ADDTL?", "AT+RATE=11", "AT+RATE?", "AT+FREQ=470500000", "AT+FREQ?", "AT+WORKMODE=81",
          "AT+WORKMODE?",
        ], "\(behind)")
    }
  }

  @Test func `C23 a radio of which nothing is changed needs no restoring`() throws {
    try send(settings: FileTransferRadioSettings(workMode: "81", rate: "11")) { stations, result, witness in
      try stations.simulation.require(result.outcome == .success && result.restoration == .notRequired, "\(result)")
      try stations.simulation.require(!witness.texts.contains { $0.contains("=") }, "\(witness.texts)")
      try stations.simulation.require(stations.arbiters[0].log.ends == [.restored])
    }
    try send(settings: nil) { stations, result, witness in
      try stations.simulation.require(result.outcome == .success && result.restoration == .notRequired)
      try stations.simulation.require(witness.texts.allSatisfy { $0 == "frame" })
    }
  }

  @Test func `C11 C24 a success after which a value can not be put back quarantines the radio`() throws {
    try send(failures: Failing { text, _ in text == "AT+RATE=11" ? RadioError(.commandFailed, "AT_PARAM_ERROR") : nil })
    {
      stations, result, witness in
      let simulation = stations.simulation
      try simulation.require(result.outcome == .success, "\(result)")
      guard case .failed(.transport(let reason)) = result.restoration else { throw RequirementFailed() }
      try simulation.require(reason.contains("AT_PARAM_ERROR"))
      try simulation.require(stations.arbiters[0].log.ends == [.quarantined])
      // C26: it goes on past the failure.
      try simulation.require(witness.texts.contains("AT+WORKMODE=81") && witness.texts.contains("AT+FREQ=470500000"))
    }
  }

  @Test func `C26 the first of several failures is the one that is told`() throws {
    try send(
      failures: Failing { text, _ in
        switch text {
        case "AT+ADDTL=007": RadioError(.commandFailed, "first")
        case "AT+FREQ=470500000": RadioError(.commandFailed, "second")
        default: nil
        }
      }
    ) { stations, result, _ in
      // A value that is there all the same is no failure: ADDTL was never changed.
      try stations.simulation.require(result.restoration == .restored, "\(result)")
    }
    try send(
      failures: Failing { text, count in
        switch text {
        case "AT+ADDTL?" where count > 0: RadioError(.commandTimedOut, "first")
        case "AT+FREQ?" where count > 0: RadioError(.commandTimedOut, "second")
        default: nil
        }
      }
    ) { stations, result, _ in
      guard case .failed(.transport(let reason)) = result.restoration else { throw RequirementFailed() }
      try stations.simulation.require(reason.contains("first"), reason)
    }
  }

  @Test func `C28 a value that the modem says it took and did not is found by reading it again`() throws {
    var faults = FaultScript()
    // The last but five of the commands reads RATE again.
    faults.commands = [10: .wrongValue("5")]
    try send(faults: faults) { stations, result, witness in
      let commands = witness.texts.filter { $0 != "frame" }
      try stations.simulation.require(commands[10] == "AT+RATE?", "\(commands)")
      guard case .failed = result.restoration else { throw RequirementFailed() }
      try stations.simulation.require(stations.arbiters[0].log.ends == [.quarantined])
    }
  }

  @Test(arguments: 0..<4)
  func `C25 a snapshot that fails half way ends the transfer, and nothing was changed`(step: Int) throws {
    try send(
      failures: Failing { text, _ in
        text == Self.snapshot[step] ? RadioError(.commandTimedOut, "silent") : nil
      }
    ) { stations, result, witness in
      let simulation = stations.simulation
      guard case .failure(.transport) = result.outcome else { throw RequirementFailed() }
      try simulation.require(result.restoration == .notRequired)
      try simulation.require(witness.texts == Array(Self.snapshot.prefix(step + 1)), "\(witness.texts)")
      try simulation.require(stations.arbiters[0].log.ends == [.restored])
    }
  }

  @Test(arguments: ["AT+WORKMODE=82", "AT+RATE=18", "AT+ANYRATELEN=600"])
  func `C21 C25 a setting that is refused ends the transfer, and what was changed is put back`(command: String) throws {
    try send(failures: Failing { text, _ in text == command ? RadioError(.commandFailed, "AT_ERROR") : nil }) {
      stations, result, witness in
      let simulation = stations.simulation
      guard case .failure(.transport(let reason)) = result.outcome else { throw RequirementFailed() }
      try simulation.require(reason.contains("AT_ERROR"))
      try simulation.require(result.restoration == .restored, "\(result)")
      try simulation.require(!witness.texts.contains("frame"))
      try simulation.require(stations.air.modems[0].settings["WORKMODE"] == "81")
    }
  }

  @Test func `C9 a wait for the radio can be given up, and nothing was done`() throws {
    for byTask in [true, false] {
      try simulated(seed: 1) { simulation in
        try await TransferStations.run(simulation) { stations in
          let held = try await stations.arbiters[0].acquire()
          let request = try TransferStations.request(Self.content)
          let result = try await withThrowingTaskGroup(of: FileTransferResult?.self) { group in
            group.addTask { await stations.managers[0].send(request) }
            try await stations.clock.sleep(for: .seconds(3))
            if byTask { group.cancelAll() } else { try simulation.require(stations.managers[0].cancelSend(), "C54") }
            return try await group.next() ?? nil
          }
          try simulation.require(
            result?.outcome == .cancelledLocal && result?.restoration == .notRequired, "\(String(describing: result))")
          try simulation.require(stations.commands(0).isEmpty && stations.air.modems[0].sent.isEmpty)
          await held.end(.restored)
          try simulation.require(stations.arbiters[0].log.given == 1)
        }
      }
    }
  }

  @Test func `C12 C14 a radio that somebody else has for good, or that is quarantined, is busy`() throws {
    try simulated(seed: 1) { simulation in
      try await TransferStations.run(simulation) { stations in
        stations.arbiters[0].change { $0.mayWait = false }
        let held = try await stations.arbiters[0].acquire()
        let first = await stations.managers[0].send(try TransferStations.request(Self.content))
        try simulation.require(first.outcome == .failure(.busy) && first.restoration == .notRequired, "\(first)")
        await held.end(.quarantined)
        let second = await stations.managers[0].send(try TransferStations.request(Self.content))
        try simulation.require(second.outcome == .failure(.busy))
        try simulation.require(stations.commands(0).isEmpty)
      }
    }
  }

  /// A modem that has started anew may have lost more than was read (radio study, report 14).
  @Test func `report 14 a modem that starts anew during a transfer is put back and quarantined`() throws {
    var faults = FaultScript()
    faults.sends = [2: .resets]
    try send(faults: faults) { stations, result, _ in
      guard case .failure(.transport(let reason)) = result.outcome, case .failed = result.restoration else {
        throw RequirementFailed()
      }
      try stations.simulation.require(reason.contains("modem-reset"), reason)
      try stations.simulation.require(stations.arbiters[0].log.ends == [.quarantined])
      try stations.simulation.require(stations.air.modems[0].settings["RATE"] == "11")
    }
  }

  /// A modem that loses its settings and says nothing (radio study, report 46).
  @Test func `report 46 a modem that lost its settings in silence is found out`() throws {
    try simulated(seed: 9) { simulation in
      try await TransferStations.run(simulation) { stations in
        async let result = stations.managers[0].send(try TransferStations.request(MachineAir.noise(60_000)))
        try await stations.clock.sleep(for: .seconds(3))
        stations.air.modems[0].loseSettings()
        // From here on nobody answers.
        stations.air.medium.connect(from: 1, to: 0, SimulatedLink(loss: .independent(1)))
        guard case .failure(.transport(let reason)) = try await result.outcome else { throw RequirementFailed() }
        try simulation.require(reason.contains("has lost"), reason)
      }
    }
  }
}
