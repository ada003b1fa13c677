/// The two ends of a line within the process.
public struct PortPair: Sendable {
  /// One end.
  public let host: any BytePort
  /// The other.
  public let modem: any BytePort

  /// - Parameter capacity: bytes that wait in each direction until a writer has to.
  public init(capacity: Int = 65_536) {
    let there = BytePipe(capacity: capacity)
    let back = BytePipe(capacity: capacity)
    host = PipeEnd(incoming: back, outgoing: there)
    modem = PipeEnd(incoming: there, outgoing: back)
  }
}

private struct PipeEnd: BytePort {
  let incoming: BytePipe
  let outgoing: BytePipe

  func read() async throws -> [UInt8] { try await incoming.read() }
  func write(_ bytes: [UInt8]) async throws { try await outgoing.write(bytes) }
  func close() {
    let error = RadioError(.linkLost, "the line was closed")
    outgoing.close(error)
    incoming.close(error)
  }
}
