import Foundation
import Synchronization
import Testing

/// A process of its own on a store; see the arguments of `HistoryProbe`. Killed with the object.
final class ProbeProcess: Sendable {
  private let process: Process
  private let input: FileHandle
  private let output = Mutex<(lines: [String], rest: String, hasEnded: Bool)>(([], "", false))

  /// Starts it.
  convenience init(_ arguments: String...) throws { try self.init(arguments) }

  init(_ arguments: [String], under tool: [String] = []) throws {
    // The probe is built beside the test bundle.
    let probe = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("HistoryProbe")
    process = Process()
    process.executableURL = tool.first.map { URL(fileURLWithPath: $0) } ?? probe
    process.arguments = tool.isEmpty ? arguments : Array(tool.dropFirst()) + [probe.path] + arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    try process.run()
    let reader = output.fileHandleForReading
    Thread.detachNewThread { [weak self] in
      while true {
        let data = reader.availableData
        self?.take(data)
        if data.isEmpty { return }
      }
    }
  }

  deinit { signal(SIGKILL) }

  private func take(_ data: Data) {
    output.withLock { output in
      if data.isEmpty { output.hasEnded = true }
      output.rest += String(decoding: data, as: UTF8.self)
      var lines = output.rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      output.rest = lines.removeLast()
      output.lines += lines
    }
  }

  /// What it has printed.
  var lines: [String] { output.withLock { $0.lines } }

  /// The number behind a word at the beginning of each line that begins with it.
  func numbers(_ word: String) -> [Int64] {
    lines.compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 1 && words[0] == word ? Int64(words[1]) : nil
    }
  }

  /// The number of the process.
  var number: Int32 { process.processIdentifier }

  func signal(_ signal: Int32) { if process.isRunning { kill(process.processIdentifier, signal) } }

  /// Writes a line to its input.
  func tell(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

  /// Waits for its greeting.
  func ready() async throws {
    try await eventually("the probe does not start: \(lines)") { lines.contains { $0.hasPrefix("ready") } || hasEnded }
    #expect(lines.first?.hasPrefix("ready") == true, "\(lines)")
  }

  var hasEnded: Bool { output.withLock { $0.hasEnded } }

  /// Waits for its end and the end of its output.
  ///
  /// - Returns: whether it ended by itself and in order.
  @discardableResult
  func ended() async throws -> Bool {
    try await eventually("the probe does not end: \(lines.suffix(3))") { !process.isRunning && hasEnded }
    return process.terminationReason == .exit && process.terminationStatus == 0
  }

  /// Ends its input, which asks it to finish.
  func endInput() throws { try input.close() }

  /// Ends its input and waits for its end.
  func finish() async throws {
    try endInput()
    #expect(try await ended(), "\(lines.suffix(3))")
  }
}

/// Whether the long form of the tests is wanted.
func soak(_ short: Int, _ long: Int) -> Int {
  ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1" ? long : short
}
