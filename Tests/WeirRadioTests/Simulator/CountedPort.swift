import Synchronization
import WeirRadio
import WeirTesting

/// Counts the bytes on their way through a real device, and keeps virtual time from moving meanwhile: the device itself cannot tell
/// whether it is empty.
struct CountedPort: BytePort {
  final class Line: Sendable {
    private struct State {
      var bytes = 0
      var token: ExternalWork?
    }

    private let state = Mutex(State())
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    func written(_ count: Int) { change(by: count) }
    func read(_ count: Int) { change(by: -count) }

    private func change(by count: Int) {
      let done = state.withLock { state -> ExternalWork? in
        state.bytes += count
        if state.bytes > 0 {
          if state.token == nil { state.token = simulation.beginExternalWork("bytes on a terminal") }
          return nil
        }
        defer { state.token = nil }
        return state.token
      }
      done?.finish()
    }
  }

  let port: any BytePort
  let outgoing: Line
  let incoming: Line

  func read() async throws -> [UInt8] {
    let bytes = try await port.read()
    incoming.read(bytes.count)
    return bytes
  }

  func write(_ bytes: [UInt8]) async throws {
    outgoing.written(bytes.count)
    try await port.write(bytes)
  }

  func close() { port.close() }
}
