import Foundation
import Testing

@testable import WeirCommandKit

/// Runs the built executable, as a user's shell would.
private struct Shell {
  struct Result {
    let code: Int32
    let output: String
    let errors: String
  }

  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("weir").path

  /// Runs `script` with `weir` standing for the executable.
  static func run(_ script: String, in folder: TemporaryFolder) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "weir() { '\(program)' \"$@\"; }; cd '\(folder.path)'; \(script)"]
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

@Suite struct `The program weir` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `prints help, the version and usage errors where they belong`() throws {
    let help = try Shell.run("weir help generate", in: folder)
    #expect(help.code == 0 && help.errors == "")
    #expect(help.output == CommandProgram.weir.help(for: ["generate"]))
    #expect(try Shell.run("weir generate --help", in: folder).output == help.output)
    #expect(try Shell.run("weir --version", in: folder).output == "weir 0.1.0\n")
    let wrong = try Shell.run("weir generate --seeed 4", in: folder)
    #expect(wrong.code == ExitCode.usage.rawValue && wrong.output == "")
    #expect(
      wrong.errors
        == "weir: unknown option --seeed; did you mean --seed? [usage.unknown-option]\nSee 'weir help generate'.\n")
  }

  @Test func `generates the same bytes in every process, also through a pipe`() throws {
    let options = "generate -n 3000 --duplicates 0.1 --reorder 20% --malformed 0.02 --seed 99"
    let result = try Shell.run(
      "weir \(options) -o a --report r.json && weir \(options) | cat > b && cmp a b", in: folder)
    #expect(result.code == 0 && result.errors == "")
    let report = try jsonObject(folder.contents(of: "r.json"))
    #expect(report["messages"] as? Int == 3_000)
    #expect(try folder.contents(of: "a").count { $0 == 10 } == report["lines"] as? Int)
  }

  @Test func `does not overwrite a file unless told to`() throws {
    try folder.write("precious", to: "a")
    let refused = try Shell.run("weir generate -n 1 -o a", in: folder)
    #expect(refused.code == ExitCode.cannotCreate.rawValue)
    #expect(refused.errors.contains("a exists already [output.exists]"))
    #expect(try folder.contents(of: "a") == Array("precious".utf8))
    #expect(try Shell.run("weir generate -n 1 -o a --force", in: folder).code == 0)
    #expect(try Shell.run("weir generate -n 1 --force", in: folder).code == ExitCode.usage.rawValue)
  }

  @Test func `ends with a code for each kind of failure`() throws {
    #expect(try Shell.run("weir lines none", in: folder).code == ExitCode.noInput.rawValue)
    #expect(try Shell.run("weir lines .", in: folder).code == ExitCode.noInput.rawValue)
    #expect(try Shell.run("weir generate > /dev/full", in: folder).code == ExitCode.temporary.rawValue)
    #expect(try Shell.run("weir generate -o none/a", in: folder).code == ExitCode.cannotCreate.rawValue)
    let closed = try Shell.run("weir generate -n 100000 | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}", in: folder)
    #expect(closed.code == ExitCode.brokenPipe.rawValue && closed.errors == "")
  }

  @Test func `counts lines from files and from a pipe, and keeps what it refuses`() throws {
    try folder.write(
      Array("good\n".utf8) + [0xFF, 10] + Array((String(repeating: "x", count: 99) + "\n").utf8), to: "in")
    let options = "--longest-line 50 --rejects rejects --json --strict"
    for command in ["weir lines in \(options)", "(head -c 7 in; sleep 0.05; tail -c +8 in) | weir lines - \(options)"] {
      try? FileManager.default.removeItem(atPath: folder.file("rejects"))
      let result = try Shell.run(command, in: folder)
      #expect(result.code == ExitCode.dataRefused.rawValue)
      let counts = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
      #expect(counts[0]["lines"] as? Int == 3 && counts[0]["refused"] as? Int == 2)
      let rejects = try folder.contents(of: "rejects").split(separator: 10).map { try jsonObject(Array($0)) }
      #expect(Set(rejects.compactMap { $0["code"] as? String }) == ["line.not-utf8", "line.too-long"])
    }
    let table = try Shell.run("weir lines in", in: folder)
    #expect(table.code == 0)
    #expect(table.output == "file  lines  refused  longest   size\nin        3        1     99 B  104 B\n")
  }

  @Test(arguments: [("INT", ExitCode.interrupted), ("TERM", ExitCode.terminated)])
  func `finishes in good order when it is asked to stop`(signal: String, code: ExitCode) throws {
    // The first progress line says that it is at work.
    let result = try Shell.run(
      """
      printf 'a\\nb\\nc' > in; mkfifo progress
      set -m; '\(Shell.program)' lines --follow --progress in 2> progress & exec 3< progress; read -r line <&3
      kill -\(signal) $!; wait $!
      """, in: folder)
    #expect(result.code == code.rawValue)
    #expect(result.output == "file  lines  refused  longest  size\nin        2        0      1 B   2 B\n")
  }

  @Test func `writes whole lines only when generating is interrupted`() throws {
    let result = try Shell.run(
      """
      mkfifo progress
      set -m; '\(Shell.program)' generate -n 1000000000 --progress -o out 2> progress & exec 3< progress
      read -r line <&3; kill -INT $!; wait $!
      """, in: folder)
    #expect(result.code == ExitCode.interrupted.rawValue)
    let lines = try folder.contents(of: "out").split(separator: 10, omittingEmptySubsequences: false)
    #expect(lines.last?.isEmpty == true)
    #expect(lines.count > 1)
    _ = try jsonObject(Array(lines[lines.count - 2]))
  }
}
