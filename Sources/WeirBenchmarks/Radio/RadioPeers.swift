import Synchronization
import Weir
import WeirRadio
import WeirTesting

/// What a channel can carry at most: frames of the longest kind back to back, without headers, less what was lost (radio study,
/// section 4).
struct ChannelLimit {
  let modulation: Modulation
  /// Time of a frame besides that on the air: zero where the modem takes the next one meanwhile; else what the line takes, and one
  /// turn-around, since a modem that has nothing to send has gone back to listening.
  var gap: Duration = .zero

  /// Bytes a second.
  func bytesPerSecond(loss: Double) -> Double {
    let most = modulation.maximumBytes
    return (1 - loss) * Double(most) / ((modulation.timeOnAir(bytes: most) + gap) / .seconds(1))
  }

  /// The part of the limit that a transfer used.
  func share(bytes: Int, in time: Duration, _ counts: LinkCounts) -> Double {
    let loss = counts.sent > 0 ? Double(counts.lost) / Double(counts.sent) : 0
    return Double(bytes) / (time / .seconds(1)) / bytesPerSecond(loss: loss)
  }
}

/// Protocols that wait for an answer to each frame, on the simulated air that file transfer is measured on.
struct RadioPeer: Sendable {
  let name: String
  /// Bytes of a frame that are content.
  let payload: Int
  /// Bytes of a frame that are not.
  let overhead: Int
  /// Bytes of an answer.
  let answer: Int

  /// Whole frames, each acknowledged, as the modem's own acknowledgement or a mesh does it.
  static func stopAndWait(_ modulation: Modulation) -> RadioPeer {
    RadioPeer(name: "stop and wait", payload: modulation.maximumBytes - 15, overhead: 15, answer: 19)
  }

  /// XMODEM: 128 bytes, a header of three, a checksum, and an answer of one byte.
  static let xmodem = RadioPeer(name: "XMODEM", payload: 128, overhead: 4, answer: 1)

  /// Sends so many bytes; the part of the channel's limit that was used.
  func share(of modulation: Modulation, loss: Double, bytes: Int) throws -> Double {
    let channel = RadioChannel(frequency: 470_500_000, modulation: modulation)
    return try simulate(seed: 1, options: .endless) { simulation in
      let clock = GraphClock(simulation.clock)
      let medium = Medium(seed: 1, clock: clock)
      medium.connect(0, 1, SimulatedLink(loss: .independent(loss)))
      let (heard, inlet) = AsyncStream.makeStream(of: Void.self)
      let answers = Mutex(0)
      medium.setHearer(of: 1) { _ in inlet.yield() }
      medium.setHearer(of: 0) { _ in answers.withLock { $0 += 1 } }
      // A frame that is late by half the time of an answer is not waited for any longer.
      let wait = RadioPeer.turnAround + modulation.timeOnAir(bytes: answer) + .microseconds(1)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for await _ in heard { try await medium.transmit(from: 1, [UInt8](repeating: 0, count: answer), on: channel) }
        }
        var rest = bytes
        while rest > 0 {
          let part = min(rest, payload)
          let before = answers.withLock { $0 }
          try await medium.transmit(from: 0, [UInt8](repeating: 0, count: part + overhead), on: channel)
          try await clock.sleep(for: wait)
          if answers.withLock({ $0 }) > before { rest -= part } else { try await clock.sleep(for: wait / 2) }
        }
        group.cancelAll()
        return ChannelLimit(modulation: modulation)
          .share(bytes: bytes, in: clock.now, medium.counts(from: 0, to: 1))
      }
    }
  }

  /// That of the medium.
  static let turnAround = Duration.milliseconds(5)
}

extension SimulationOptions {
  /// For runs of many steps that report nothing.
  static var endless: SimulationOptions {
    var options = SimulationOptions.quiet
    options.stepLimit = .max
    return options
  }
}
