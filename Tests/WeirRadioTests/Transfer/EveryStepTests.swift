import Foundation
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// Giving up, and failing, at every step of a transfer, on both ends (radio study, C54 to C60 and gate Q11).
@Suite struct EveryStepTests {
  private static let content = MachineAir.noise(6_000)

  // MARK: As values

  @Test(arguments: [0, 1])
  func `C56 C59 whichever frame an end gives up at, both end once, each knowing who it was`(end: Int) throws {
    var reference = try MachineAir.burst(Self.content, seed: 1)
    reference.run()
    let frames = reference.sent[0].count + reference.sent[1].count
    for frame in 0..<frames {
      for loss in [0.0, 0.2] {
        var air = try MachineAir.burst(Self.content, seed: 1, link: MachineAir.Link(loss: loss))
        air.events = [frame: (end, .cancelled)]
        air.run()
        let (mine, others) = (air.endings[end], air.endings[1 - end])
        try #require(air.finishes[end] == 1 && air.finishes[1 - end] <= 1, "frame \(frame): \(air.endings)")
        // The last frames are too late: then it was a success on both ends.
        let isLate = mine == .sent || mine == .received(Self.content)
        try #require(isLate || mine == .cancelledLocal, "frame \(frame): \(String(describing: mine))")
        if !isLate, air.machines.count == 2, loss == 0 {
          try #require(
            others == .cancelledRemote || others == .received(Self.content),
            "frame \(frame): \(String(describing: others))")
        }
      }
    }
  }

  @Test func `C59 both ends give up at once and each says that it was itself`() throws {
    for frame in 2..<20 {
      var air = try MachineAir.burst(Self.content, seed: 2)
      air.events = [frame: (0, .cancelled), frame + 1: (1, .cancelled)]
      air.run()
      try #require(air.finishes == [1, 1])
      try #require(air.endings.contains(.cancelledLocal), "\(air.endings)")
    }
  }

  @Test(arguments: [0, 1])
  func `C59 P1: whoever gives up, the other hears of it`(end: Int) throws {
    var reference = try MachineAir.phy(Self.content, seed: 3)
    reference.run()
    #expect(reference.endings == [.sent, .received(Self.content)])
    // There is no receiver before it has heard the offer.
    for frame in (1 + end)..<reference.sent[0].count - 1 {
      var air = try MachineAir.phy(Self.content, seed: 3)
      air.events = [frame: (end, .cancelled)]
      air.run()
      try #require(air.endings[end] == .cancelledLocal && air.finishes == [1, 1], "frame \(frame): \(air.endings)")
      try #require(air.endings[1 - end] == .cancelledRemote, "frame \(frame): \(air.endings)")
      // C50: it says nothing else.
      try #require(air.sent[1].allSatisfy { $0 == .cancel })
    }
  }

  @Test func `a frame that the modem does not send costs a try and nothing more`() throws {
    var reference = try MachineAir.burst(Self.content, seed: 4)
    reference.run()
    for frame in 0..<reference.sent[0].count + reference.sent[1].count {
      var air = try MachineAir.burst(Self.content, seed: 4)
      air.refusedSends = [frame]
      air.run()
      try #require(air.endings == [.sent, .received(Self.content)], "frame \(frame): \(air.endings)")
    }
  }

  @Test func `a modem that sends nothing any more ends the transfer with its reason`() throws {
    for frame in 0..<20 {
      var air = try MachineAir.burst(Self.content, seed: 5)
      air.refusedSends = Set(frame..<10_000)
      air.run()
      try #require(air.endings[0] == .failed(.transport("AT_ERROR")), "frame \(frame): \(air.endings)")
    }
  }

  @Test func `C60 P1: frames that nobody confirms are tried eight times`() throws {
    var air = try MachineAir.phy(Self.content, seed: 6)
    air.refusedSends = Set(5..<12)
    air.run()
    #expect(air.endings == [.sent, .received(Self.content)], "seven in vain")
    air = try MachineAir.phy(Self.content, seed: 6)
    air.refusedSends = Set(5..<13)
    air.run()
    #expect(air.endings[0] == .failed(.retryExceeded))
    #expect(air.endings[1] == .failed(.retryExceeded))
  }

  @Test func `C60 P1: a chunk that was confirmed and not heard makes the receiver time out`() throws {
    var air = try MachineAir.phy(Self.content, seed: 7, link: MachineAir.Link(loss: 0.3))
    air.run()
    #expect(air.endings[0] == .sent, "its modem has confirmed all")
    #expect(air.machines.count < 2 || air.endings[1] == .failed(.timeout))
  }

  @Test func `C60 a receiver that vanishes is found out by tries, a sender by time`() throws {
    var air = try MachineAir.burst(MachineAir.noise(60_000), seed: 8)
    air.events = [100: (0, .radioFailed("unplugged"))]
    air.run()
    #expect(air.endings == [.failed(.transport("unplugged")), .failed(.timeout)])
    air = try MachineAir.burst(MachineAir.noise(60_000), seed: 8)
    air.events = [100: (1, .radioFailed("unplugged"))]
    air.run()
    #expect(air.endings == [.failed(.retryExceeded), .failed(.transport("unplugged"))])
    #expect(air.sent[0].filter { $0 == .poll }.count >= 8)
  }

  // MARK: With manager and modem

  @Test(.timeLimit(.minutes(10)), arguments: [0, 1])
  func `C10 C21 C22 C55 C58 C59 whenever an end gives up, the lease ends once and the radio is as it was`(end: Int)
    throws
  {
    for step in 0..<40 {
      try simulated(seed: UInt64(step)) { simulation in
        try await TransferStations.run(simulation) { stations in
          let arrivals = stations.arrivals(1)
          async let sending = stations.managers[0].send(try TransferStations.request(Self.content))
          try await stations.clock.sleep(for: .milliseconds(40 * step))
          let had = end == 0 ? stations.managers[0].cancelSend() : await stations.managers[1].cancelReceive()
          if end == 1, had {
            try simulation.require(stations.managers[1].desk.active == nil, "C55 it waits for the end")
          }
          let result = try await sending
          try await stations.waitUntilIdle()
          let allowed: [FileTransferOutcome] =
            had ? (end == 0 ? [.cancelledLocal, .success] : [.cancelledRemote, .success]) : [.success]
          // A receiver that gives up before it has said anything is not heard.
          let isUnheard = end == 1 && had && result.outcome == .failure(.timeout)
          try simulation.require(allowed.contains(result.outcome) || isUnheard, "step \(step): \(result)")
          for index in 0..<2 {
            let log = stations.arbiters[index].log
            try simulation.require(log.ends.count == log.given && !log.isHeld, "step \(step)")
            try simulation.require(log.ends.allSatisfy { $0 == .restored }, "step \(step): \(log.ends)")
            for (name, value) in TransferStations.initial where name != "ANYRATELEN" {
              try simulation.require(stations.air.modems[index].settings[name] == value, "step \(step): \(name)")
            }
          }
          _ = arrivals
          // C58: and the next goes well.
          let again = await stations.managers[0].send(try TransferStations.request(Self.content))
          try simulation.require(again.outcome == .success, "step \(step): \(again)")
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `C57 cancelling the task that sends gives the transfer up`() throws {
    for step in 0..<20 {
      try simulated(seed: UInt64(step)) { simulation in
        try await TransferStations.run(simulation) { stations in
          let request = try TransferStations.request(Self.content)
          let result = try await withThrowingTaskGroup(of: FileTransferResult.self) { group in
            group.addTask { await stations.managers[0].send(request) }
            try await stations.clock.sleep(for: .milliseconds(80 * step))
            group.cancelAll()
            guard let result = try await group.next() else { throw RequirementFailed() }
            return result
          }
          try simulation.require([.cancelledLocal, .success].contains(result.outcome), "\(result)")
          let log = stations.arbiters[0].log
          try simulation.require(log.ends.count == log.given && log.ends.allSatisfy { $0 == .restored })
        }
      }
    }
  }

  @Test func `C54 C55 without a transfer there is nothing to give up`() throws {
    try simulated(seed: 1) { simulation in
      try await TransferStations.run(simulation) { stations in
        try simulation.require(!stations.managers[0].cancelSend())
        try simulation.require(!(await stations.managers[0].cancelReceive()))
      }
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: 0..<6)
  func `Q11 a fault at any command or frame ends in one way, with the radio as it was or quarantined`(kind: Int) throws
  {
    let commandFaults: [CommandFault] = [.refuses, .isSilent, .isLate(.seconds(3)), .resets]
    for step in 0..<(kind < 4 ? 15 : 20) {
      var faults = FaultScript()
      if kind < 4 {
        faults.commands = [step: commandFaults[kind]]
      } else {
        faults.sends = [step: kind == 4 ? .noReport : .fails]
      }
      try simulated(seed: UInt64(step)) { [faults] simulation in
        try await TransferStations.run(simulation, faults: faults) { stations in
          let result = await stations.managers[0].send(try TransferStations.request(Self.content))
          try await stations.waitUntilIdle()
          let log = stations.arbiters[0].log
          try simulation.require(log.ends.count == 1 && log.given == 1, "kind \(kind), step \(step): \(log)")
          if log.ends == [.restored] {
            for (name, value) in TransferStations.initial where name != "ANYRATELEN" {
              try simulation.require(
                stations.air.modems[0].settings[name] == value, "kind \(kind), step \(step): \(name), \(result)")
            }
          } else {
            guard case .failed = result.restoration else { throw RequirementFailed() }
          }
        }
      }
    }
  }
}
