import Foundation
import Synchronization
import Weir
import WeirRadio

/// The air that both hear, and how time passes.
struct Air: Sendable {
  let channel: RadioChannel
  let clock: GraphClock
  let medium: Medium

  init(_ channel: RadioChannel, _ clock: GraphClock) {
    (self.channel, self.clock) = (channel, clock)
    medium = Medium(seed: 1, clock: clock)
    medium.connect(0, 1)
  }
}

/// Somebody with a modem on a line.
final class Person: Sendable {
  let id: UInt8
  let line = PortPair()
  let simulator: ModemSimulator
  let modem: ATModem
  let manager: FileTransferManager
  /// What was heard, as it came over the air.
  let heard: AsyncStream<[UInt8]>
  let latencies = Mutex<[Duration]>([])
  private let saidAt = Mutex<[Duration]>([])
  private let clock: GraphClock

  init(_ id: Int, _ air: Air) {
    self.id = UInt8(id)
    clock = air.clock
    let channel = air.channel
    simulator = ModemSimulator(ModemSimulator.Options(.kiss) { _ in channel }, radio: id, on: air.medium)
    modem = ATModem(line.host, ATModem.Options(.kiss, channel: channel), clock: air.clock)
    var options = FileTransferOptions(pacing: TransferPacing(channel.modulation, maximumFrame: 255), settings: nil)
    options.clock = air.clock
    // Whoever receives the file speaks between two bursts: short ones make it wait less.
    options.pacing.mostBurst = 6
    // Both have their modem for themselves here.
    manager = FileTransferManager(transport: modem, acquireRadioLease: { WholeRadio() }, options: options)
    let (heard, inlet) = AsyncStream.makeStream(of: [UInt8].self)
    self.heard = heard
    manager.onMessage = { _, message in inlet.yield(Array(message)) }
  }

  /// Hands everything that the modem hears to the manager.
  func listen() async {
    for await frame in modem.received {
      _ = manager.handleInbound(Data(frame.payload), localShortID: id) { _ in RadioChat.key }
    }
  }

  /// The texts, one every few seconds.
  func typing(_ clock: GraphClock) -> AsyncStream<[UInt8]> {
    let rest = Mutex(RadioChat.texts[Int(id)][...])
    let pause = Duration.seconds(8 + 3 * Int(id))
    return AsyncStream {
      try? await clock.sleep(for: pause)
      return rest.withLock { $0.popFirst() }.map { Array($0.utf8) }
    }
  }

  /// Says something to the other, between two chunks of the file.
  func say(_ text: [UInt8]) {
    saidAt.withLock { $0.append(clock.now) }
    if !manager.sendMessage(Data(text)) {
      _ = saidAt.withLock { $0.popLast() }
      print("there is no file under way; nothing was said")
    }
  }

  /// The oldest text of the other is here: how long it took.
  func noteLatency(from peer: Person) -> Duration {
    let latency = clock.now - peer.saidAt.withLock { $0.isEmpty ? clock.now : $0.removeFirst() }
    latencies.withLock { $0.append(latency) }
    return latency
  }
}

private struct WholeRadio: FileTransferRadioLease {
  func end(_ state: FileTransferRadioState) async {}
}
