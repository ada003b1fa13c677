import Synchronization
import Weir
import WeirRadio

/// A radio in a simulation: sends take their airtime, and things go wrong as a script says.
final class ScriptedRadio: FrameRadio {
  enum Fault: Sendable {
    case refuses
    case saysNothing
    case isSlow(Duration)
  }

  struct State: Sendable {
    var sent: [(payload: [UInt8], start: Duration, end: Duration)] = []
    /// Faults by the number of the send, from zero.
    var faults: [Int: Fault] = [:]
    var count = 0
    var onAir = 0
    var overlaps = 0
    var recoveries = 0
    var isBroken = false
    /// When others are on the air.
    var busy: [Range<Duration>] = []
    /// On which frequency; nil for all.
    var busyFrequency: Int?
    /// Frequencies that were listened to.
    var listened: [Int] = []
    var sentWhileBusy = 0
  }

  let clock: GraphClock
  private let state = Mutex(State())

  init(clock: GraphClock) { self.clock = clock }

  var log: State { state.withLock { $0 } }
  func script(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  func send(_ payload: [UInt8], on channel: RadioChannel) async throws {
    let start = clock.now
    let fault = state.withLock { state -> Fault? in
      state.onAir += 1
      if state.onAir > 1 { state.overlaps += 1 }
      if state.busy.contains(where: { $0.contains(start) }) { state.sentWhileBusy += 1 }
      defer { state.count += 1 }
      return state.faults[state.count]
    }
    defer { state.withLock { $0.onAir -= 1 } }
    switch fault {
    case .refuses: throw RadioError(.sendFailed, "AT_PARAM_ERROR")
    case .saysNothing:
      try await clock.sleep(for: .seconds(1_000_000))
    case .isSlow(let extra):
      try await clock.sleep(for: channel.modulation.timeOnAir(bytes: payload.count) + extra)
    case nil:
      try await clock.sleep(for: channel.modulation.timeOnAir(bytes: payload.count))
    }
    let end = clock.now
    state.withLock { $0.sent.append((payload, start, end)) }
  }

  func isChannelBusy(_ channel: RadioChannel) async throws -> Bool {
    try await clock.sleep(for: channel.modulation.detectionTime)
    let now = clock.now
    return state.withLock { state in
      state.listened.append(channel.frequency)
      guard state.busyFrequency.map({ $0 == channel.frequency }) ?? true else { return false }
      return state.busy.contains { $0.contains(now) }
    }
  }

  func recover() async throws {
    try state.withLock { state in
      state.recoveries += 1
      if state.isBroken { throw RadioError(.sendFailed, "no answer") }
    }
  }
}
