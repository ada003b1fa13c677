import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A pseudo-terminal with a program on it, as a user in front of a terminal would see it.
final class PseudoTerminal {
  let process: Process
  private let controller: Int32
  private let device: String
  /// What the program has written so far.
  private(set) var output = ""

  /// Starts a program with the terminal as its standard streams and controlling terminal.
  init(_ program: String, _ arguments: [String], columns: UInt16, rows: UInt16) throws {
    // posix_openpt by its parts, as the header of the C library hides it from Swift.
    controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard controller >= 0, ioctl(controller, 0x4004_5431, &lock) == 0, ioctl(controller, 0x8004_5430, &number) == 0
    else { throw CocoaError(.featureUnsupported) }
    device = "/dev/pts/\(number)"
    _ = fcntl(controller, F_SETFL, O_NONBLOCK)
    let side = open(device, O_RDWR | O_NOCTTY)
    defer { close(side) }
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments = ["--ctty", "--wait", program] + arguments
    process.environment = ["TERM": "xterm-256color", "PATH": "/usr/bin:/bin"]
    let handle = FileHandle(fileDescriptor: side, closeOnDealloc: false)
    (process.standardInput, process.standardOutput, process.standardError) = (handle, handle, handle)
    resize(columns: columns, rows: rows)
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
    close(controller)
  }

  /// Changes the size; the system tells the program by SIGWINCH.
  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(controller, bytes, bytes.count)
  }

  /// Whether the terminal echoes and gathers lines, as it does when no program has changed it.
  var isCooked: Bool {
    var settings = termios()
    guard tcgetattr(controller, &settings) == 0 else { return false }
    return settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
  }

  /// The process on the terminal: the child of the one that was started.
  var program: pid_t? {
    let children = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children", encoding: .utf8)
    return children.flatMap { pid_t($0.split(separator: " ").first ?? "") } ?? process.processIdentifier
  }

  /// Takes in what has been written until `isDone` likes the output; false when the program ends or falls silent first.
  func read(until isDone: (String) -> Bool) async throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for _ in 0..<6_000 {
      let count = Glibc.read(controller, &buffer, buffer.count)
      if count > 0 { output += String(decoding: buffer.prefix(count), as: UTF8.self) }
      if isDone(output) { return true }
      if count <= 0 {
        guard process.isRunning else { return false }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    return false
  }

  /// Waits for the end; the status of the program.
  func status() async throws -> Int32 {
    while process.isRunning { _ = try await read { _ in !process.isRunning } }
    _ = try await read { _ in false }
    return process.terminationStatus
  }

  func forgetOutput() { output = "" }
}
