import Testing

@testable import WeirCommandKit

@Suite struct `The help page` {
  static let sample = CommandDescription(
    name: "weir", summary: "a test program",
    subcommands: [
      CommandDescription(
        name: "replay", summary: "Play recorded messages into a store",
        discussion: [
          "Reads each FILE as JSON lines and brings the store to the state that follows, whatever the order of lines.",
          "  1  first\n  2  second",
        ],
        operands: [.init("FILE", .oneOrMore, "A file, or - for standard input.")],
        options: [
          CommandOption<String?>.text("store", short: "s", "FILE", "Database; in memory when absent.").description,
          CommandOption<Int>.integer("batch", "N", 1...9, default: 4, "Messages in one transaction.").description,
          CommandOption<[String]>.list("a-very-long-option-name", "PLACEHOLDER", "Explained below.").description,
          CommandOption<Bool>.flag("json", "Print JSON.").description,
        ],
        examples: [("weir replay --store a.db chat.jsonl", "Into a database")])
    ])

  @Test func `lays out a command`() {
    let expected = """
      weir replay: Play recorded messages into a store.

      Usage: weir replay [options] FILE...

      Reads each FILE as JSON lines and brings the store to the state that follows,
      whatever the order of lines.

        1  first
        2  second

      Arguments:
        FILE  A file, or - for standard input.

      Options:
        -s, --store FILE          Database; in memory when absent.
            --batch N             Messages in one transaction. [default: 4]
            --a-very-long-option-name PLACEHOLDER
                                  Explained below. May be repeated.
            --json                Print JSON.
        -h, --help                Show this help

      Examples:
        Into a database:
          weir replay --store a.db chat.jsonl

      """
    #expect(HelpPage(Self.sample, version: "1.0").text(for: ["replay"]) == expected)
  }

  @Test func `lays out the program`() {
    let expected = """
      weir 1.0: a test program.

      Usage: weir <command> [options]

      Commands:
        replay          Play recorded messages into a store
        help [COMMAND]  Show help for a command

      Options:
        -h, --help     Show this help
            --version  Show the version

      Exit codes:
          0  the work is done
         64  the command line is wrong
         65  input was refused: corrupt, or any refused line in strict mode
         66  an input file is missing or cannot be read
         70  a fault in weir itself; please report it
         73  an output file cannot be created
         74  reading or writing failed on the way
         75  disk full, or store locked; try again later
        130  interrupted (Ctrl-C); what was accepted is safe
        141  the reader of the output went away
        143  ended by SIGTERM; what was accepted is safe

      """
    #expect(HelpPage(Self.sample, version: "1.0").text() == expected)
  }

  @Test func `of the real program names every option and fits in 80 columns`() {
    for command in [
      GenerateCommand.description, ReplayCommand.description, InspectCommand.description, HistoryCommand.description,
    ] {
      let page = CommandProgram.weir.help(for: [command.name])
      for option in command.options { #expect(page.contains("--\(option.name)")) }
      for operand in command.operands { #expect(page.contains(operand.name)) }
      for line in page.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 80, "\(line)") }
    }
    for line in CommandProgram.weir.help().split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 80) }
  }

  @Test func `has examples that parse`() throws {
    let commands = [
      GenerateCommand.description, ReplayCommand.description, InspectCommand.description, HistoryCommand.description,
    ]
    let root = CommandDescription(name: "weir", summary: "", subcommands: commands)
    for example in commands.flatMap(\.examples) {
      for part in example.line.split(separator: "|") {
        let words = part.split(separator: " ").map(String.init)
        #expect(words.first == "weir")
        _ = try ArgumentParser(root).parse(Array(words.dropFirst()))
      }
    }
  }
}
