import Foundation
import Testing
import WeirTesting

@testable import WeirRadio

/// Frames that were damaged, forged, or made by somebody who has the key and means no good.
@Suite struct FrameFuzzTests {
  private enum Forgery: Int, CaseIterable {
    case damaged, checked, signed, invented
  }

  private func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<(1 + generator.index(below: 4)) {
      let place = generator.index(below: bytes.count + 1)
      switch generator.index(below: 4) {
      case 0 where place < bytes.count: bytes[place] = UInt8(generator.index(below: 256))
      case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8(generator.index(below: 8))
      case 2 where place < bytes.count: bytes.remove(at: place)
      default: bytes.insert([0, 0xFF, 0xB7, UInt8(generator.index(below: 256))][generator.index(below: 4)], at: place)
      }
    }
    return bytes
  }

  @Test(.timeLimit(.minutes(30)))
  func
    `C52 a hundred thousand mutated frames trap nowhere, get one of three answers, and none means what it was not written as`()
    throws
  {
    let isSoak = ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1"
    let wire = try WireFixture()
    let goldens = GoldenFrame.all(wire).filter { $0.authentication == nil }
    var generator = SeededGenerator(seed: 52)
    var answers: [Forgery: [String: Int]] = [:]
    for round in 0..<(isSoak ? 1_000_000 : 100_000) {
      let golden = goldens[generator.index(below: goldens.count)]
      guard let forgery = Forgery(rawValue: round % Forgery.allCases.count) else { continue }
      var payload: [UInt8]
      switch forgery {
      case .damaged: payload = mutated(golden.bytes, &generator)
      case .checked: payload = WireFixture.checked(mutated(golden.bytes, &generator))
      case .signed:
        let header = TransferHeader(shapeOf: golden.bytes)
        let hasBody = generator.index(below: 4) > 0
        payload = wire.signed(
          golden.packet.frame.type, from: golden.packet.source == WireFixture.sender ? .sender : .receiver,
          version: golden.packet.version,
          index: hasBody ? header?.index ?? 0 : UInt16(generator.index(below: 20)),
          flags: hasBody ? header?.flags.rawValue ?? 0 : UInt8(generator.index(below: 8)),
          hasBody ? mutated(golden.packet.frame.body, &generator) : golden.packet.frame.body)
      case .invented:
        payload = (0..<generator.index(below: 80)).map { _ in UInt8(generator.index(below: 256)) }
        if payload.count > 3 { payload.replaceSubrange(0..<4, with: golden.bytes[..<4]) }
        payload = WireFixture.checked(payload)
      }
      let reading = wire.read(payload)
      switch reading {
      case .notOwned: answers[forgery, default: [:]]["not owned", default: 0] += 1
      case .rejected(let error): answers[forgery, default: [:]][error.code, default: 0] += 1
      case .accepted(let packet):
        answers[forgery, default: [:]]["accepted", default: 0] += 1
        // Who has no key gets through only what was sent as it is; who has it, only what has this one form.
        let authentication = try #require(TransferHeader(shapeOf: payload).flatMap(wire.authentication))
        guard forgery == .signed || payload == golden.bytes, try packet.bytes(authentication) == payload else {
          Issue.record("round \(round), \(golden.name) \(forgery): accepted as \(packet)")
          return
        }
      }
    }
    #expect(answers[.damaged]?["transfer.crc-mismatch"] ?? 0 > 0)
    #expect(answers[.damaged]?["not owned"] ?? 0 > 0)
    #expect(answers[.checked]?["transfer.crypto-failure"] ?? 0 > 0)
    #expect(answers[.checked]?["transfer.invalid-target"] ?? 0 > 0)
    #expect(answers[.signed]?["transfer.protocol-malformed"] ?? 0 > 0)
    #expect(answers[.signed]?["accepted"] ?? 0 > 0)
    #expect(answers[.invented]?["transfer.crypto-failure"] ?? 0 > 0)
    #expect(answers[.invented]?["accepted"] == nil)
  }
}
