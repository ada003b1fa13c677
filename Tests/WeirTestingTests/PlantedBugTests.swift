import Synchronization
import Testing

@testable import WeirTesting

/// A channel of capacity one. Broken, it has room for one waiting writer only, as a first draft of a fan-in had: a second
/// writer's continuation overwrites the first, which then hangs for ever.
private final class OneSlotChannel: Sendable {
  typealias Waiter = UnsafeContinuation<Void, Never>

  private struct State {
    var element: Int?
    var writers: [Waiter] = []
    var reader: Waiter?
  }

  private let state = Mutex(State())
  private let isBroken: Bool

  init(isBroken: Bool) {
    self.isBroken = isBroken
  }

  func send(_ element: Int) async {
    while true {
      let (isStored, reader) = state.withLock { state -> (Bool, Waiter?) in
        guard state.element == nil else { return (false, nil) }
        state.element = element
        defer { state.reader = nil }
        return (true, state.reader)
      }
      reader?.resume()
      if isStored { return }
      await withUnsafeContinuation { (writer: Waiter) in
        let mustRetry = state.withLock { state in
          if state.element == nil { return true }
          if isBroken { state.writers = [writer] } else { state.writers.append(writer) }
          return false
        }
        if mustRetry { writer.resume() }
      }
    }
  }

  func receive() async -> Int {
    while true {
      let (element, writer) = state.withLock { state -> (Int?, Waiter?) in
        guard let element = state.element else { return (nil, nil) }
        state.element = nil
        return (element, state.writers.isEmpty ? nil : state.writers.removeFirst())
      }
      writer?.resume()
      if let element { return element }
      await withUnsafeContinuation { (reader: Waiter) in
        let mustRetry = state.withLock { state in
          if state.element != nil { return true }
          state.reader = reader
          return false
        }
        if mustRetry { reader.resume() }
      }
    }
  }
}

private struct WrongSum: Error {}

@Sendable private func fanIn(_ channel: OneSlotChannel) async throws {
  let sum = await withTaskGroup(of: Void.self) { group in
    for producer in 0..<2 {
      group.addTask { for index in 0..<2 { await channel.send(producer * 10 + index) } }
    }
    var sum = 0
    for _ in 0..<4 { sum += await channel.receive() }
    return sum
  }
  if sum != 22 { throw WrongSum() }
}

@Suite struct PlantedBugTests {
  @Test func aLostContinuationShowsInManySeedsAndNotInTheFixedChannel() throws {
    let failures = try failingSeeds(in: .range(1...500)) { _ in try await fanIn(OneSlotChannel(isBroken: true)) }
    #expect(failures.count > 50)
    #expect(failures.count < 500)
    #expect(failures.allSatisfy { ($0.error as? SimulationError)?.code == "simulation-stalled" })
    try forEachSeed(in: .range(1...500)) { _ in try await fanIn(OneSlotChannel(isBroken: false)) }
  }

  @Test(.enabled(if: ProcessEnvironment.value(of: "WEIR_SOAK") == "1", "takes seconds; set WEIR_SOAK=1"))
  func theFixedChannelHoldsForAHundredThousandSeeds() throws {
    try forEachSeed(count: 100_000) { _ in try await fanIn(OneSlotChannel(isBroken: false)) }
  }
}
