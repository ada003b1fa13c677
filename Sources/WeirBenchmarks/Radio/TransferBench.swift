import Foundation
import Synchronization
import Weir
import WeirRadio
import WeirTesting

/// Files between two hosts, each with its modem on a line, over simulated air, in virtual time: everything but the wire of the
/// modem is what a user runs.
struct TransferBench: Sendable {
  /// What one transfer came to.
  struct Outcome: Sendable {
    /// Part of what the channel can carry by a modem to which one frame is handed over after the other.
    var share = 0.0
    /// Part of what it could carry without line and turn-around: what a modem that takes a frame ahead could come near to.
    var airShare = 0.0
    var isWhole = false
    /// How long each chat message waited for its start.
    var chatWaits: [Duration] = []
  }

  var dialect: ModemDialect
  var modulation: Modulation
  var baud: Int
  var loss = LossModel.none
  /// Time between two chat messages of the sender; nil for none.
  var chat: Duration?

  /// LoRa on a KISS modem, whose line takes bytes as they are.
  static func lora(_ factor: Int, loss: LossModel = .none, chat: Duration? = nil) throws -> TransferBench {
    TransferBench(
      dialect: .kiss, modulation: try RadioFamily.modulation(factor), baud: 921_600, loss: loss, chat: chat)
  }

  private static let ids: [UInt8] = [1, 2]
  private static let key = Data(0..<16)

  /// Sends so many bytes that cannot be made smaller.
  func run(bytes: Int, seed: UInt64) throws -> Outcome {
    var options = SimulationOptions.endless
    options.allowsLeftovers = true
    return try simulate(seed: seed, options: options) { try await run(bytes: bytes, in: $0) }
  }

  private func run(bytes: Int, in simulation: Simulation) async throws -> Outcome {
    let clock = GraphClock(simulation.clock)
    let channel = RadioChannel(frequency: 470_500_000, modulation: modulation)
    let medium = Medium(seed: simulation.seed, clock: clock)
    medium.connect(0, 1, SimulatedLink(loss: loss))
    let lines = (0..<2).map { _ in PortPair() }
    let modems = (0..<2).map { index in
      ModemSimulator(ModemSimulator.Options(dialect, baud: baud) { _ in channel }, radio: index, on: medium)
    }
    let hosts = lines.map {
      ATModem($0.host, ATModem.Options(dialect, baud: baud, channel: channel), clock: clock)
    }
    // Nonces by the seed: timers are spread by them, and every run has to be the same.
    let nonces = Mutex(SimulatorGenerator(seed: simulation.seed, stream: 11))
    let managers = hosts.map { host in
      var options = FileTransferOptions(
        pacing: TransferPacing(
          modulation, maximumFrame: dialect.maximumPayload, turnAround: .milliseconds(5), baud: baud),
        settings: dialect == .turMass ? .turMass : nil)
      options.clock = clock
      options.executor = simulation.executor
      options.nonce = { nonces.withLock { $0.next() } }
      return FileTransferManager(transport: host, acquireRadioLease: { FreeRadio() }, options: options)
    }
    let log = ChatLog(modulation)
    var generator = SimulatorGenerator(seed: simulation.seed, stream: 7)
    let content = (0..<bytes).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let request = try FileTransferSendRequest(
      data: Data(content), sourceShortID: Self.ids[0], targetShortID: Self.ids[1], controlKey: Self.key)
    return await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<2 {
        group.addTask { try? await modems[index].run(on: lines[index].modem) }
        group.addTask { try? await hosts[index].run() }
        group.addTask {
          for await frame in hosts[index].received {
            log.heard(frame.payload, at: clock.now)
            _ = managers[index].handleInbound(Data(frame.payload), localShortID: Self.ids[index]) { _ in Self.key }
          }
        }
      }
      if let chat {
        group.addTask {
          while true {
            try await clock.sleep(for: chat)
            log.say(at: clock.now) { managers[0].sendMessage(Data($0)) }
          }
        }
      }
      let start = clock.now
      let result = await managers[0].send(request)
      let time = clock.now - start
      group.cancelAll()
      let most = min(dialect.maximumPayload, modulation.maximumBytes)
      let counts = medium.counts(from: 0, to: 1)
      let limit = ChannelLimit(modulation: modulation, gap: hosts[0].transferTime(bytes: most) + RadioPeer.turnAround)
      return Outcome(
        share: limit.share(bytes: bytes, in: time, counts),
        airShare: ChannelLimit(modulation: modulation).share(bytes: bytes, in: time, counts),
        isWhole: result.outcome == .success, chatWaits: log.waits)
    }
  }
}

/// Nobody else wants the radio.
private struct FreeRadio: FileTransferRadioLease {
  func end(_ state: FileTransferRadioState) async {}
}

/// When chat was said, and when it was on the air.
private final class ChatLog: Sendable {
  /// A message's content: a mark that no chunk of noise has by chance, and its number.
  private static let mark = Array("weir chat ".utf8)
  private static let length = 60

  private struct State {
    var said: [Duration] = []
    var waits: [Duration] = []
  }

  private let state = Mutex(State())
  private let airtime: Duration

  init(_ modulation: Modulation) { airtime = modulation.timeOnAir(bytes: Self.length + 19) }

  var waits: [Duration] { state.withLock { $0.waits } }

  func say(at now: Duration, _ send: ([UInt8]) -> Bool) {
    state.withLock { state in
      var message = Self.mark + [UInt8(state.said.count / 256), UInt8(state.said.count % 256)]
      message += [UInt8](repeating: 0x2E, count: Self.length - message.count)
      if send(message) { state.said.append(now) }
    }
  }

  func heard(_ frame: [UInt8], at now: Duration) {
    guard frame.count == Self.length + 19, Array(frame[9..<9 + Self.mark.count]) == Self.mark else { return }
    let number = Int(frame[9 + Self.mark.count]) * 256 + Int(frame[10 + Self.mark.count])
    state.withLock { state in
      guard state.said.indices.contains(number) else { return }
      state.waits.append(now - airtime - state.said[number])
    }
  }
}
