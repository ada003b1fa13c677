import CPseudoTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A pseudo-terminal: programs open its device like that of a modem, and whoever made it is the modem.
public final class PseudoTerminal: Sendable {
  /// Path of the device that programs open. They may come and go.
  public let device: String
  /// The modem's side. Closing it hangs up.
  public let port: TerminalPort
  /// Keeps the device from hanging up in between programs.
  private let keeper: Int32

  /// Makes a pseudo-terminal that passes bytes as they are.
  /// - Throws: ``RadioError`` `linkLost` when the system has none left.
  public init() throws(RadioError) {
    let controller = posix_openpt(O_RDWR | O_NOCTTY)
    guard controller >= 0 else { throw TerminalPort.failure("making a pseudo-terminal") }
    guard grantpt(controller) == 0, unlockpt(controller) == 0, let name = ptsname(controller) else {
      defer { close(controller) }
      throw TerminalPort.failure("unlocking a pseudo-terminal")
    }
    device = String(cString: name)
    keeper = open(device, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard keeper >= 0 else {
      defer { close(controller) }
      throw TerminalPort.failure("opening \(device)")
    }
    _ = fcntl(controller, F_SETFL, O_NONBLOCK)
    _ = fcntl(controller, F_SETFD, FD_CLOEXEC)
    do {
      try TerminalPort.makeRaw(keeper, speed: nil)
      port = try TerminalPort(descriptor: controller)
    } catch {
      close(keeper)
      close(controller)
      throw error
    }
  }

  deinit { close(keeper) }
}
