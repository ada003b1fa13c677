import Testing
import WeirTesting

@testable import WeirRadio

/// Whole transfers of P2, as values, over bad air.
@Suite struct BurstMachineTests {
  @Test(.timeLimit(.minutes(10)), arguments: [0.0, 0.1, 0.3, 0.5])
  func `a file arrives whole, whatever is lost, damaged, doubled or overtaken`(loss: Double) throws {
    for seed in 0..<20 {
      let content = MachineAir.noise(20_000 + seed, seed: UInt64(seed))
      var air = try MachineAir.burst(
        content, seed: UInt64(seed),
        link: MachineAir.Link(loss: loss, damage: 0.02, duplicates: 0.05, reordering: 0.02))
      air.run()
      try #require(
        air.endings[1] == .received(content), "seed \(seed): \(String(describing: air.endings[1]).prefix(80))")
      try #require(air.endings[0] == .sent, "seed \(seed): \(String(describing: air.endings[0]))")
      try #require(air.finishes == [1, 1])
    }
  }

  @Test func `what can be made smaller goes over the air as one frame of zstd, and a short text arrives too`() throws {
    let text = Array(String(repeating: "Weir carries what is worth carrying. ", count: 1_000).utf8)
    for content in [text, Array("hello".utf8), [7]] {
      var air = try MachineAir.burst(content, seed: 3)
      air.run()
      #expect(air.endings == [.sent, .received(content)])
      #expect(air.payloads[0].reduce(0) { $0 + $1.count } < content.count / 4 + 300)
    }
  }

  /// Without loss nothing is sent twice, and bursts are as long as agreed.
  @Test func `without loss every chunk is sent once`() throws {
    let content = MachineAir.noise(100_000)
    var air = try MachineAir.burst(content, seed: 4)
    air.run()
    #expect(air.endings == [.sent, .received(content)])
    let chunks = try TransferGeometry(length: content.count, chunk: 240).count
    #expect(air.sent[0].filter { $0 == .data }.count == chunks)
    #expect(air.sent[1].filter { $0 == .status }.count == (chunks + air.pacing.burst - 1) / air.pacing.burst)
    #expect(!air.sent[0].contains(.poll))
    // Nearly all of the time on the air is content: the header takes 15 of 255 bytes.
    let frame = try MachineAir.lora().modulation.timeOnAir(bytes: 255)
    #expect(air.now < frame * chunks * 105 / 100, "\(air.now)")
  }

  @Test func `C41 the progress of both ends only rises, and ends at all`() throws {
    let content = MachineAir.noise(30_000)
    var air = try MachineAir.burst(content, seed: 5, link: MachineAir.Link(loss: 0.3))
    air.run()
    for end in 0..<2 {
      let progress = air.actions[end].compactMap { action -> Int? in
        if case .progress(let done, let total) = action { done <= total ? done : nil } else { nil }
      }
      #expect(progress == progress.sorted() && progress.last == content.count)
      #expect(progress.filter { $0 == content.count }.count == 1 || end == 0)
    }
  }

  @Test func `nobody answers an INIT: a timeout, and never another profile`() throws {
    var air = try MachineAir.burst(MachineAir.noise(500), seed: 6, link: MachineAir.Link(loss: 1))
    air.run()
    #expect(air.endings[0] == .failed(.timeout))
    #expect(air.sent[0].allSatisfy { $0 == .initiation } && air.sent[0].count == TransferBudget.initiations)
    #expect(air.payloads[0].allSatisfy { $0[1] >> 5 == TransferVersion.burstSack.rawValue })
  }

  @Test(arguments: TransferRefusal.allCases)
  func `a refusal ends the transfer at once on both ends, and says why`(refusal: TransferRefusal) throws {
    var air = try MachineAir.burst(MachineAir.noise(500), seed: 7, refusal: refusal)
    air.run()
    #expect(air.endings == [.refused(refusal), .refused(refusal)])
    #expect(!air.actions[1].contains { if case .started = $0 { true } else { false } })
  }

  @Test func `the last FINISH_ACK is lost and success stays success on both ends`() throws {
    for seed in 0..<60 {
      var air = try MachineAir.burst(MachineAir.noise(300), seed: UInt64(seed), link: MachineAir.Link(loss: 0.4))
      air.run()
      try #require(air.endings[0] == .sent, "seed \(seed): \(String(describing: air.endings[0]))")
    }
  }

  @Test func `chat goes between the chunks of a file both ways, each text once`() throws {
    let content = MachineAir.noise(60_000)
    var air = try MachineAir.burst(content, seed: 8, link: MachineAir.Link(duplicates: 0.5))
    air.events = [20: (0, .said([1, 2, 3])), 21: (0, .said([4])), 50: (1, .said([9, 9]))]
    air.run()
    #expect(air.endings == [.sent, .received(content)])
    let heard = (0..<2).map { end in
      air.actions[end].compactMap { if case .heardMessage(let bytes) = $0 { bytes } else { nil } }
    }
    #expect(heard == [[[9, 9]], [[1, 2, 3], [4]]])
    // The sender's text waits for the frame that is on the air, and for no other.
    #expect(air.log[21] == .message, "\(air.log[18...24])")
  }

  @Test func `a sender that lets others have the radio for a minute comes back and goes on`() throws {
    let content = MachineAir.noise(120_000)
    var air = try MachineAir.burst(content, seed: 9)
    air.events = [30: (0, .wantsPause(.seconds(60)))]
    air.run()
    #expect(air.endings == [.sent, .received(content)])
    #expect(air.actions[0].contains(.leave(.seconds(60))))
    #expect(air.sent[0].contains(.pause) && air.sent[0].contains(.resume))
    let chunks = try TransferGeometry(length: content.count, chunk: 240).count
    #expect(air.sent[0].filter { $0 == .data }.count == chunks)
  }

  @Test func `a part that was kept is not sent again`() throws {
    let content = MachineAir.noise(50_000)
    var first = try MachineAir.burst(content, seed: 10, link: MachineAir.Link(loss: 0.2))
    first.run(until: .seconds(40))
    let partial = try #require((first.machines[1] as? BurstReceiver)?.partial)
    var second = try MachineAir.burst(content, seed: 11, partial: partial)
    second.run()
    #expect(second.endings == [.sent, .received(content)])
    let kept = partial.buffer.count
    let chunks = partial.buffer.geometry.count
    // An answer has room for 240 chunks behind the first missing one; beyond that all is sent again.
    #expect(kept > 20)
    #expect(second.sent[0].filter { $0 == .data }.count == chunks - kept)
  }

  @Test func `a part of another content is not gone on with`() throws {
    let content = MachineAir.noise(50_000)
    var first = try MachineAir.burst(MachineAir.noise(50_000, seed: 2), seed: 10)
    first.run(until: .seconds(40))
    let partial = try #require((first.machines[1] as? BurstReceiver)?.partial)
    var second = try MachineAir.burst(content, seed: 11, partial: partial)
    second.run()
    #expect(second.endings == [.sent, .received(content)])
    #expect(second.sent[0].filter { $0 == .data }.count == partial.buffer.geometry.count)
  }

  @Test func `two parts are kept, for a day`() {
    func partial(_ content: UInt64) throws -> TransferPartial {
      let buffer = ChunkBuffer(try TransferGeometry(length: 1_000, chunk: 100))
      return TransferPartial(
        key: TransferPartial.Key(source: 1, content: content, wireLength: 1_000, codec: 0, chunk: 100), buffer: buffer)
    }
    func offer(_ content: UInt64, chunk: Int = 100) -> TransferInitiation {
      TransferInitiation(nonce: 1, wireLength: 1_000, originalLength: 1_000, chunk: chunk, content: content, rate: 0)
    }
    #expect(throws: Never.self) {
      var partials = TransferPartials()
      for content in 1...3 { partials.keep(try partial(UInt64(content)), at: .seconds(content)) }
      #expect(partials.count == 2)
      #expect(partials.partial(for: offer(1), from: 1, at: .seconds(5)) == nil)
      #expect(partials.partial(for: offer(2), from: 1, at: .seconds(5)) != nil)
      #expect(partials.partial(for: offer(2), from: 2, at: .seconds(5)) == nil, "another station")
      #expect(partials.partial(for: offer(2, chunk: 99), from: 1, at: .seconds(5)) == nil, "too long a chunk")
      #expect(partials.partial(for: offer(3), from: 1, at: .seconds(86_403)) == nil, "a day later")
    }
  }
}
