import Foundation
import Testing

@testable import WeirCommandKit

/// `weir` in a process of its own that goes on beside the test, with its output in files.
final class RadioProcess: Sendable {
  private let process = Process()
  let output: String
  let errors: String

  /// - Parameter name: of its files in the folder.
  init(_ arguments: [String], in folder: TemporaryFolder, name: String, environment: [String: String] = [:]) throws {
    output = folder.file(name + ".output")
    errors = folder.file(name + ".errors")
    try folder.write("", to: name + ".output")
    try folder.write("", to: name + ".errors")
    process.executableURL = URL(fileURLWithPath: Shell.program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var isRunning: Bool { process.isRunning }

  /// What was printed as JSON lines so far.
  func objects() throws -> [[String: Any]] {
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self)
    return try text.split(separator: "\n").filter { $0.hasSuffix("}") }.map { try jsonObject(Array($0.utf8)) }
  }

  var errorText: String {
    String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: errors))) ?? Data(), as: UTF8.self)
  }

  /// Waits for a line of a type.
  func line(ofType type: String) async throws -> [String: Any] {
    while true {
      if let line = try objects().first(where: { $0["type"] as? String == type }) { return line }
      try #require(process.isRunning, "it ended: \(errorText)")
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for its end; the code, or the negative number of the signal that ended it.
  func end() async throws -> Int32 {
    while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
  }
}

/// `weir radio-sim` beside a test.
struct SimulatedRadio {
  let process: RadioProcess
  let devices: [String]

  init(_ arguments: [String] = [], in folder: TemporaryFolder) async throws {
    process = try RadioProcess(["radio-sim", "--json"] + arguments, in: folder, name: "radio")
    let modems = try #require(try await process.line(ofType: "ready")["modems"] as? [[String: String]])
    #expect(modems.map { $0["name"] } == ["a", "b"])
    devices = modems.compactMap { $0["device"] }
  }

  /// Ends it, and tells what became of the frames from a to b.
  func stop(_ signal: Int32 = SIGINT) async throws -> (code: Int32, link: [String: Any]) {
    process.signal(signal)
    let code = try await process.end()
    let links = try #require(try process.objects().last?["links"] as? [[String: Any]])
    return (code, try #require(links.first))
  }
}
