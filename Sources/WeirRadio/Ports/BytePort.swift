import Weir

/// A line of bytes to a modem, both ways.
public protocol BytePort: Sendable {
  /// Waits for bytes and takes all that are there. One reader at a time.
  /// - Throws: ``RadioError`` `linkLost` when the line is closed and everything before is read; `CancellationError` promptly
  ///   when the task is cancelled.
  func read() async throws -> [UInt8]

  /// Hands bytes over; waits while the line has no room.
  /// - Throws: as ``read()``. Cancelled in the middle, some of the bytes may be gone.
  func write(_ bytes: [UInt8]) async throws

  /// Closes the line, for both sides.
  func close()
}

/// A line that takes as long as a UART with 8 data bits and 1 stop bit.
public struct PacedPort: BytePort {
  private let port: any BytePort
  private let baud: Int
  private let clock: GraphClock

  /// - Parameters:
  ///   - baud: bits a second; below 1 counts as 1.
  ///   - clock: in which the bytes take their time.
  public init(_ port: any BytePort, baud: Int, clock: GraphClock) {
    self.port = port
    self.baud = max(1, baud)
    self.clock = clock
  }

  public func read() async throws -> [UInt8] { try await port.read() }

  public func write(_ bytes: [UInt8]) async throws {
    try await clock.sleep(for: lineTime(bytes: bytes.count, baud: baud))
    try await port.write(bytes)
  }

  public func close() { port.close() }
}

/// Time of bytes on a line with 8 data bits and 1 stop bit.
func lineTime(bytes: Int, baud: Int) -> Duration { .seconds(10) * max(0, bytes) / max(1, baud) }
