import Foundation
import Testing
import WeirTesting

@testable import WeirRadio

/// Machines that are told anything at any time.
@Suite struct MachineStormTests {
  private static func machines(_ key: ControlKey, _ pacing: TransferPacing) throws -> [any TransferMachine] {
    let content = MachineAir.noise(3_000)
    let sender = try BurstSender(
      TransferContent(content), from: 1, to: 2, key: key, pacing: pacing, nonce: 0x1_0005)
    let offer = TransferInitiation(
      nonce: 0x1_0005, wireLength: 3_000, originalLength: 3_000, chunk: 240,
      content: key.contentIdentity(of: content), rate: 0)
    let receiver = try BurstReceiver(offer, number: 5, from: 1, to: 2, key: key, pacing: pacing, nonce: 77)
    let phySender = try PhySender(content, from: 1, to: 2, key: key, pacing: pacing, nonce: 5)
    let phyReceiver = try PhyReceiver(
      FileInitiation(nonce: 5, content: content, chunk: 240), number: 5, from: 1, to: 2, key: key, pacing: pacing)
    return [sender, receiver, phySender, phyReceiver]
  }

  private static func frame(_ generator: inout SeededGenerator) -> TransferFrame {
    let index = generator.index(below: 13)
    let short = UInt16(generator.index(below: 20))
    switch generator.index(below: 13) {
    case 0: return .answer(.accepted(TransferAcceptance(nonce: 77, chunk: 240, burst: UInt8(1 + index), base: index)))
    case 1: return .answer(.refused(.busy))
    case 2:
      return .data(
        TransferData(
          index: UInt16(index), bytes: [UInt8](repeating: 1, count: index == 12 ? 120 : 240),
          endsBurst: generator.oneIn(3)))
    case 3:
      let geometry = try? TransferGeometry(length: 3_000, chunk: 240)
      guard let geometry else { return .poll(number: short) }
      let missing = [index..<min(13, index + 3)]
      return .status(TransferStatus(number: short, missing: missing, of: geometry, rate: 0, nextTransmission: short))
    case 4: return .poll(number: short)
    case 5: return .finish(TransferFinish(checksum: 1, content: 2))
    case 6: return .finishAnswer(TransferVerdict.allCases[generator.index(below: 5)])
    case 7 where generator.oneIn(6):
      return .cancel(TransferCancel(reason: .wanted, by: .sender, isAnswer: generator.oneIn(2)))
    case 8: return .pause(TransferPause(number: short, milliseconds: UInt32(generator.index(below: 86_400_000))))
    case 9: return .resume(TransferPause(number: short, milliseconds: 5))
    case 10: return .message(TransferMessage(number: short, bytes: [1, 2]))
    default: return .poll(number: short)
    }
  }

  /// One machine, and what it has done so far.
  private struct Storm {
    struct Failure: Error { let words: String }

    var machine: any TransferMachine
    var now: Duration = .zero
    private(set) var endings: [TransferEnding] = []
    private(set) var onItsWay = 0

    init(_ machine: any TransferMachine) { self.machine = machine }

    mutating func tell(_ event: TransferEvent, frameLimit: Int) throws {
      let isOver = !endings.isEmpty
      for action in machine.handle(event, at: now) {
        guard !isOver else { throw Failure(words: "\(action) after the end") }
        if case .finish(let ending) = action { endings.append(ending) }
        if case .send(let bytes) = action {
          onItsWay += 1
          guard bytes.count <= frameLimit else { throw Failure(words: "a frame of \(bytes.count)") }
        }
      }
      guard endings.count <= 1, onItsWay <= 1 else { throw Failure(words: "two ends, or two frames at once") }
      guard endings.isEmpty || machine.wake == nil else { throw Failure(words: "awake behind its end") }
    }

    mutating func settleFrame() { onItsWay -= 1 }
  }

  private static func event(_ kind: Int, _ generator: inout SeededGenerator, storm: inout Storm) -> TransferEvent? {
    switch generator.index(below: 12) {
    case 0, 1, 2, 3, 4:
      let packet = TransferPacket(
        version: kind < 2 ? .burstSack : .phyAck, from: 2 - UInt8(kind % 2), to: 1 + UInt8(kind % 2), session: 5,
        frame(&generator))
      return .heard(packet, TransferSignal(snr: Double(generator.index(below: 30)) - 15))
    case 5, 6, 7:
      guard storm.onItsWay > 0 else { return nil }
      storm.settleFrame()
      return generator.oneIn(8) ? .notSent(reason: "no", isRadioLost: false) : .sent
    case 8: return .woke
    case 9: return .heardForeign(.seconds(1))
    case 10:
      let events: [TransferEvent] = [
        .said([1]), .wantsPause(.seconds(3)), .returned, .superseded, .heldBack(.seconds(2)), .began,
      ]
      return generator.element(of: events)
    default: return generator.oneIn(20) ? .cancelled : nil
    }
  }

  @Test func `whatever happens, a machine ends at most once, says nothing after it, and ends when told to`() throws {
    let key = try #require(MachineAir.key)
    let pacing = try MachineAir.lora()
    let limit = pacing.frameLimit
    let rounds = ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1" ? 20_000 : 400
    var kinds: Set<String> = []
    for seed in 0..<rounds {
      var generator = SeededGenerator(seed: UInt64(seed), stream: "storm")
      for (kind, machine) in try Self.machines(key, pacing).enumerated() {
        var storm = Storm(machine)
        do {
          try storm.tell(.began, frameLimit: limit)
          for _ in 0..<120 {
            storm.now += .milliseconds(generator.index(below: 2_000))
            if let event = Self.event(kind, &generator, storm: &storm) { try storm.tell(event, frameLimit: limit) }
          }
          // From here on nothing is heard any more: told to give up, it does, after a bounded number of steps.
          try storm.tell(.cancelled, frameLimit: limit)
          for _ in 0..<200 where storm.endings.isEmpty {
            if storm.onItsWay > 0 {
              storm.settleFrame()
              try storm.tell(.sent, frameLimit: limit)
            } else if let wake = storm.machine.wake {
              storm.now = max(storm.now, wake)
              try storm.tell(.woke, frameLimit: limit)
            } else {
              // Away for others: the radio comes back.
              try storm.tell(.returned, frameLimit: limit)
            }
          }
          guard let ending = storm.endings.first else { throw Storm.Failure(words: "no end") }
          kinds.insert("\(kind) \(ending)".prefix(14).description)
        } catch {
          Issue.record("seed \(seed), machine \(kind): \(error)")
          return
        }
      }
    }
    #expect(kinds.count > 8, "\(kinds)")
  }
}
