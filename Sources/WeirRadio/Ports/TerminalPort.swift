#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A modem's line on a terminal device: raw, 8 data bits, no parity, 1 stop bit, no flow control. Locked as long as it is open, so
/// that two programs do not talk to one modem at once.
///
/// A thread of its own moves the bytes, so that nothing here ever blocks a task, and cancelling one ends its wait at once. A
/// device that is unplugged or hung up ends both directions with `linkLost`; what came before can still be read.
///
/// Memory: 64 KiB in each direction; after that the device waits, or the writer.
public final class TerminalPort: BytePort {
  private let loop: TerminalLoop

  /// Speeds that can be set, in bits a second.
  public static var speeds: [Int] { speedTable.map(\.baud) }

  /// Opens a device.
  /// - Throws: ``RadioError`` `badOptions` for a speed that cannot be set, `busy` when somebody else has it open as a port,
  ///   `linkLost` when the device cannot be opened or is no terminal.
  public init(path: String, baud: Int = 115_200) throws(RadioError) {
    guard let speed = TerminalPort.speedTable.first(where: { $0.baud == baud })?.speed else {
      throw RadioError(.badOptions, "\(baud) bit/s is none of \(TerminalPort.speeds)")
    }
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw TerminalPort.failure("opening \(path)") }
    do throws(RadioError) {
      // A lock of this kind ends with the process, however it ends.
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw RadioError(.busy, "\(path) is in use; close it there first")
      }
      try TerminalPort.makeRaw(descriptor, speed: speed)
      // What was said to an earlier program is not for this one.
      _ = tcflush(descriptor, TCIFLUSH)
      loop = try TerminalLoop(descriptor)
    } catch {
      Self.closeDescriptor(descriptor)
      throw error
    }
  }

  /// Takes over an open terminal that does not block.
  init(descriptor: Int32) throws(RadioError) { loop = try TerminalLoop(descriptor) }

  deinit { close() }

  public func read() async throws -> [UInt8] { try await loop.incoming.read() }
  public func write(_ bytes: [UInt8]) async throws { try await loop.outgoing.write(bytes) }
  public func close() { loop.end(RadioError(.linkLost, "the line was closed")) }

  /// Sets a terminal so that bytes pass as they are.
  static func makeRaw(_ descriptor: Int32, speed: speed_t?) throws(RadioError) {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { throw failure("reading the settings of the terminal") }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    settings.c_cflag &= ~tcflag_t(CSTOPB)
    if let speed { _ = cfsetspeed(&settings, speed) }
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { throw failure("setting the terminal") }
  }

  static func failure(_ action: String) -> RadioError {
    RadioError(.linkLost, "\(action) failed: \(String(cString: strerror(errno)))")
  }

  private static func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  private static var speedTable: [(baud: Int, speed: speed_t)] {
    var table: [(baud: Int, speed: speed_t)] = [
      (9_600, speed_t(B9600)), (19_200, speed_t(B19200)), (38_400, speed_t(B38400)), (57_600, speed_t(B57600)),
      (115_200, speed_t(B115200)), (230_400, speed_t(B230400)),
    ]
    #if canImport(Glibc)
      table += [(460_800, speed_t(B460800)), (921_600, speed_t(B921600))]
    #endif
    return table
  }
}
