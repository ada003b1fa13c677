import Testing

@testable import WeirCommandKit

@Suite struct `The argument parser` {
  static let store = CommandOption<String?>.text("store", short: "s", "FILE", "Database.")
  static let batch = CommandOption<Int>.integer("batch", "N", 1...1_000, default: 256, "Batch size.")
  static let chance = CommandOption<Double>.probability("chance", "P", default: 0.5, "Chance.")
  static let size = CommandOption<Int>.byteCount("size", "SIZE", 1...(1 << 30), default: 1_024, "Size.")
  static let policy = CommandOption<String>.choice("policy", "P", of: ["wait", "drop"], "Policy.")
  static let tags = CommandOption<[String]>.list("tag", "TAG", "Tag.")
  static let limit = CommandOption<Int?>.integer("limit", "N", 0...Int.max, "Limit.")
  static let seed = CommandOption<UInt64>.seed("seed", "S", default: 1, "Seed.")
  static let json = CommandOption<Bool>.flag("json", "JSON.")

  static let root = CommandDescription(
    name: "weir", summary: "test",
    subcommands: [
      CommandDescription(
        name: "replay", summary: "Replay", operands: [.init("FILE", .oneOrMore, "Input.")],
        options: [
          store.description, batch.description, chance.description, size.description, policy.description,
          tags.description, limit.description, seed.description, json.description,
        ]),
      CommandDescription(
        name: "store", summary: "Store",
        subcommands: [
          CommandDescription(name: "check", summary: "Check", operands: [.init("FILE", .one, "Database.")])
        ]),
      CommandDescription(name: "diagram", summary: "Diagram"),
    ])

  func run(_ arguments: String...) throws -> ParsedArguments {
    guard case .run(let parsed) = try ArgumentParser(Self.root).parse(arguments) else {
      throw UsageError(message: "no run", path: [])
    }
    return parsed
  }

  func failure(_ arguments: String...) -> UsageError? {
    do {
      _ = try ArgumentParser(Self.root).parse(arguments)
      return nil
    } catch {
      return error
    }
  }

  @Test func `takes values attached or following, before or after operands`() throws {
    for arguments in [
      ["replay", "--store", "a.db", "in"], ["replay", "--store=a.db", "in"], ["replay", "in", "-s", "a.db"],
      ["replay", "-s=a.db", "in"],
    ] {
      guard case .run(let parsed) = try ArgumentParser(Self.root).parse(arguments) else {
        Issue.record("no run")
        return
      }
      #expect(parsed[Self.store] == "a.db")
      #expect(parsed.operands == ["in"])
      #expect(parsed.path == ["replay"])
    }
  }

  @Test func `gives defaults for what is absent`() throws {
    let parsed = try run("replay", "in")
    #expect(parsed[Self.store] == nil)
    #expect(parsed[Self.batch] == 256)
    #expect(parsed[Self.chance] == 0.5)
    #expect(parsed[Self.policy] == "wait")
    #expect(parsed[Self.tags] == [])
    #expect(parsed[Self.limit] == nil)
    #expect(parsed[Self.json] == false)
    #expect(!parsed.contains(Self.batch))
  }

  @Test func `converts values of every type`() throws {
    let parsed = try run(
      "replay", "in", "--batch", "1_000", "--chance", "5%", "--size", "64KiB", "--policy=drop", "--tag", "a", "--tag=b",
      "--limit", "0", "--seed", "18446744073709551615", "--json")
    #expect(parsed[Self.batch] == 1_000)
    #expect(parsed[Self.chance] == 0.05)
    #expect(parsed[Self.size] == 65_536)
    #expect(parsed[Self.policy] == "drop")
    #expect(parsed[Self.tags] == ["a", "b"])
    #expect(parsed[Self.limit] == 0)
    #expect(parsed[Self.seed] == .max)
    #expect(parsed[Self.json])
  }

  @Test func `takes everything after two dashes as operands, and a lone dash as one`() throws {
    let parsed = try run("replay", "-", "--", "--json", "-x")
    #expect(parsed.operands == ["-", "--json", "-x"])
    #expect(!parsed[Self.json])
  }

  @Test func `names the option that was probably meant`() {
    #expect(failure("replay", "--stor", "x", "in")?.message == "unknown option --stor; did you mean --store?")
    #expect(failure("replay", "--bacth=3", "in")?.message == "unknown option --bacth; did you mean --batch?")
    #expect(failure("replay", "--zzzzzz", "in")?.message == "unknown option --zzzzzz")
    #expect(failure("replya")?.message == "unknown command 'replya'; did you mean 'replay'?")
    #expect(failure("diag")?.message == "unknown command 'diag'; did you mean 'diagram'?")
    #expect(failure("--json")?.message == "unknown option --json; a command's options go after its name")
  }

  @Test(arguments: [
    (["replay", "in", "--store"], "usage.missing-value", "option --store needs a value: --store FILE"),
    (
      ["replay", "in", "--store", "--json"], "usage.missing-value",
      "option --store needs a value, but '--json' follows; write --store=--json if that is the value"
    ),
    (["replay", "in", "--json=yes"], "usage.unexpected-value", "option --json takes no value"),
    (["replay", "in", "--batch=3", "--batch=4"], "usage.repeated-option", "option --batch is given twice"),
    (
      ["replay", "in", "--batch", "0"], "usage.bad-value",
      "option --batch: '0' is not a whole number from 1 to 1,000"
    ),
    (
      ["replay", "in", "--batch", "99999999999999999999"], "usage.bad-value",
      "option --batch: '99999999999999999999' is not a whole number from 1 to 1,000"
    ),
    (
      ["replay", "in", "--chance", "1.5"], "usage.bad-value",
      "option --chance: '1.5' is not a probability such as 0.05 or 5%, from 0 to 1"
    ),
    (["replay", "in", "--policy", "x"], "usage.bad-value", "option --policy: 'x' is not one of wait, drop"),
    (["replay", "in", "--store", ""], "usage.bad-value", "option --store: '' is not a value that is not empty"),
    (
      ["replay", "in", "--limit", "-1"], "usage.bad-value",
      "option --limit: '-1' is not a whole number of at least 0"
    ),
    (["replay"], "usage.missing-argument", "FILE is missing"),
    (["diagram", "x"], "usage.unexpected-argument", "unexpected argument 'x'"),
    ([], "usage.missing-command", "a command is missing"),
    (["store"], "usage.missing-command", "'store' needs a command"),
    (["help", "diagram", "x"], "usage.unexpected-argument", "'diagram' has no command 'x'"),
  ])
  func `says precisely what is wrong`(arguments: [String], code: String, message: String) {
    let error = #expect(throws: UsageError.self) { try ArgumentParser(Self.root).parse(arguments) }
    #expect(error?.code == code)
    #expect(error?.message == message)
    #expect(error?.exitCode == .usage)
  }

  @Test func `finds help and the version`() throws {
    func path(_ arguments: String...) throws -> [String]? {
      if case .help(let path) = try ArgumentParser(Self.root).parse(arguments) { path } else { nil }
    }
    #expect(try path("help") == [])
    #expect(try path("-h") == [])
    #expect(try path("help", "replay") == ["replay"])
    #expect(try path("help", "help") == [])
    #expect(try path("help", "help", "--help") == [])
    #expect(try path("replay", "--batch", "3", "--help") == ["replay"])
    #expect(try path("help", "store", "check") == ["store", "check"])
    #expect(try path("store", "check", "-h") == ["store", "check"])
    guard case .version = try ArgumentParser(Self.root).parse(["--version"]) else {
      Issue.record("no version")
      return
    }
  }

  @Test func `points to the help of the command that was meant`() {
    #expect(failure("store", "check", "--x")?.remedy == "See 'weir help store check'.")
    #expect(failure("--x")?.remedy == "See 'weir help'.")
  }

  @Test func `shows hostile arguments harmlessly`() {
    #expect(failure("\u{1B}[2J")?.message == "unknown command '␛[2J'")
    #expect(failure(String(repeating: "x", count: 100_000))?.code == "usage.unknown-command")
  }

  @Test(
    arguments: [
      ("", 0...10, nil), ("-", 0...10, nil), ("+5", 0...10, nil), ("5", 0...10, 5), ("1,0", 0...10, 10),
      ("11", 0...10, nil), ("-3", -5...5, -3), ("3x", 0...10, nil), (" 3", 0...10, nil),
    ] as [(String, ClosedRange<Int>, Int?)])
  func `reads whole numbers strictly`(text: String, range: ClosedRange<Int>, value: Int?) {
    #expect(ValueText.integer(text, in: range) == value)
  }

  @Test(arguments: ["", "%", "nan", "inf", "1e-3", "-0", "0x1", "1.1", "101%", ".", "0,5"])
  func `refuses what is no probability`(text: String) {
    #expect(ValueText.probability(text) == nil)
  }

  @Test(arguments: ["", "K", "-1", "1T", "9223372036854775807G", "1.5M", "1 K"])
  func `refuses what is no size`(text: String) {
    #expect(ValueText.byteCount(text, in: 1...Int.max) == nil)
  }

  @Test(arguments: [1, 1_023, 1_024, 1_536, 16 << 20, 3 << 30])
  func `writes sizes that it reads back`(bytes: Int) {
    #expect(ValueText.byteCount(ValueText.size(bytes), in: 1...Int.max) == bytes)
  }

  @Test func `measures edit distances`() {
    func distance(_ left: String, _ right: String) -> Int { Suggestion.distance(Array(left), Array(right)) }
    #expect(distance("", "abc") == 3)
    #expect(distance("store", "store") == 0)
    #expect(distance("stroe", "store") == 1)
    #expect(distance("kitten", "sitting") == 3)
  }
}
