import Foundation
import Testing
import Weir
import WeirStore

@testable import WeirCommandKit

@Suite struct `The program weir` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `prints help, the version and usage errors where they belong`() throws {
    let help = try Shell.run("weir help generate", in: folder)
    #expect(help.code == 0 && help.errors == "")
    #expect(help.output == CommandProgram.weir.help(for: ["generate"]))
    #expect(try Shell.run("weir generate --help", in: folder).output == help.output)
    let version = try Shell.run("weir --version", in: folder).output.split(separator: "\n")
    #expect(version.count == 3 + SQLiteLibrary.notices().count)
    #expect(version[0] == "weir 0.1.0")
    #expect(version[1] == "SQLite \(SQLiteLibrary.version)")
    #expect(version[2].hasPrefix("zstd 1."))
    let wrong = try Shell.run("weir generate --seeed 4", in: folder)
    #expect(wrong.code == ExitCode.usage.rawValue && wrong.output == "")
    #expect(
      wrong.errors
        == "weir: unknown option --seeed; did you mean --seed? [usage.unknown-option]\nSee 'weir help generate'.\n")
  }

  @Test func `has a help page for every command, each within 80 columns`() throws {
    let commands = ["replay", "inspect", "search", "history", "graph", "generate", "send", "receive", "radio-sim"]
    let main = try Shell.run("weir help", in: folder).output
    for command in commands {
      #expect(main.contains("  \(command)"))
      let page = try Shell.run("weir help \(command)", in: folder).output
      #expect(page.hasPrefix("weir \(command): "))
      #expect(page.contains("Usage: weir \(command)") && page.contains("Examples:"))
      for line in page.split(separator: "\n") where !line.hasPrefix("    weir") {
        #expect(DisplayWidth.of(String(line)) <= 80)
      }
    }
  }

  @Test func `describes the graph it runs, in three forms`() throws {
    let text = try Shell.run("weir graph", in: folder)
    #expect(text.code == 0 && text.errors == "")
    #expect(text.output == (try GraphCommand.blueprint().describe()))
    #expect(text.output.contains("memory bound: ") && !text.output.contains("memory bound: none"))
    #expect(try Shell.run("weir graph --as dot", in: folder).output.hasPrefix("digraph \"replay\" {"))
    #expect(try Shell.run("weir graph --as mermaid", in: folder).output.contains("flowchart LR"))
    #expect(try Shell.run("weir graph --as png", in: folder).code == ExitCode.usage.rawValue)
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
    #expect(try Shell.run("weir generate > /dev/full", in: folder).code == ExitCode.temporary.rawValue)
    #expect(try Shell.run("weir generate -o none/a", in: folder).code == ExitCode.cannotCreate.rawValue)
    let closed = try Shell.run("weir generate -n 100000 | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}", in: folder)
    #expect(closed.code == ExitCode.brokenPipe.rawValue && closed.errors == "")
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
