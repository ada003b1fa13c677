import Foundation
import Testing

@testable import WeirCommandKit

/// Runs the built executable, as a user's shell would.
struct Shell {
  struct Result {
    let code: Int32
    let output: String
    let errors: String

    /// The output's lines as JSON objects.
    func objects() throws -> [[String: Any]] {
      try output.split(separator: "\n").map { try jsonObject(Array($0.utf8)) }
    }

    /// The summary of a replay: the last line of its JSON output.
    func summary() throws -> [String: Any] {
      let summary = try #require(try objects().last, "\(errors)")
      try #require(summary["type"] as? String == "summary")
      return summary
    }
  }

  /// The executable is built beside the test bundle.
  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("weir").path

  /// Runs `script` in a folder, with `weir` standing for the executable and `$WEIR` for its path.
  static func run(_ script: String, in folder: TemporaryFolder) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "WEIR='\(program)'; weir() { \"$WEIR\" \"$@\"; }; cd '\(folder.path)'; \(script)"]
    let errors = folder.file(".errors")
    let output = folder.file(".output")
    try folder.write("", to: ".output")
    try folder.write("", to: ".errors")
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return Result(
      code: process.terminationStatus, output: String(decoding: try folder.contents(of: ".output"), as: UTF8.self),
      errors: String(decoding: try folder.contents(of: ".errors"), as: UTF8.self))
  }
}
