import WeirHistory

/// `weir history`: shows who writes and reads a store's history, and what it holds.
public enum HistoryCommand: Command {
  static let changes = CommandOption<Bool>.flag(
    "changes", "Print the recorded changes, oldest first, instead of how the history stands.")
  static let after = CommandOption<Int?>.integer(
    "after", "SEQ", 0...Int.max, "Begin behind this transaction; by default with the first that is held.")
  static let limit = CommandOption<Int>.integer(
    "limit", short: "n", "N", 1...1_000_000, default: 20, "Most transactions. One is printed whole.")
  static let clean = CommandOption<Bool>.flag(
    "clean", "Delete what all readers have read, by the same rules as the programs themselves.")
  static let dryRun = CommandOption<Bool>.flag(
    "dry-run", "With --clean: delete nothing, and say what would go and who holds back the rest.")
  static let replay = CommandOption<Int?>.integer(
    "replay", "SEQ", 1...Int.max,
    "Hand this dead letter to the authors who gave up on it once more, with their next pass.")
  static let json = CommandOption<Bool>.flag("json", "Print one JSON object on one line.")

  public static let description = CommandDescription(
    name: "history",
    summary: "Show who writes and reads a store's history",
    discussion: [
      """
      Without options: the authors with their roles, how far each has read and how far it is behind, the tables that are \
      recorded, pins, transactions that were given up on, and who holds a cleaning back.
      """,
      """
      STORE is any SQLite file whose changes a program records with WeirHistory. It is only read, as by 'weir inspect', \
      but for --replay and for --clean without --dry-run. Times are UTC.
      """,
      """
      A cleaning never takes what a reader that is not retired has not read. A reader that is gone for good holds \
      everything back until a program retires it. A transaction that a reader gave up on after failures is kept too, until it is \
      replayed or a program discards its dead letter.
      """,
    ],
    operands: [.init("STORE", .one, "The SQLite file.")],
    options: [
      changes.description, after.description, limit.description, clean.description, dryRun.description,
      replay.description,
      json.description,
    ],
    examples: [
      ("weir history app.sqlite", "How the history stands"),
      ("weir history app.sqlite --changes --after 1200 --limit 50", "What was written since"),
      ("weir history app.sqlite --clean --dry-run", "Why the history grows"),
      ("weir history app.sqlite --replay 1207", "Try again what was given up on, once its cause is mended"),
    ])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    let path = arguments.operands.first ?? ""
    let report = try await report(arguments, path)
    let output = SharedOutput()
    if arguments[json] {
      var writer = JSONWriter()
      writer.beginObject()
      writer.field("type", "history")
      writer.field("store", path)
      report.write(to: &writer)
      writer.endObject()
      writer.endLine()
      try output.append(writer.bytes)
    } else {
      try output.append(report.lines(width: TerminalDevice(descriptor: 1).width).map { $0 + "\n" }.joined())
    }
    try output.flush()
    return .success
  }

  private static func report(_ arguments: ParsedArguments, _ path: String) async throws -> any InspectSection {
    func refuse(_ message: String) -> UsageError { UsageError(message: message, path: arguments.path) }
    let start = arguments[after]
    if arguments[dryRun], !arguments[clean] { throw refuse("--dry-run goes with --clean") }
    if start != nil, !arguments[changes] { throw refuse("--after goes with --changes") }
    if arguments[changes], arguments[clean] { throw refuse("--changes and --clean are two questions") }
    if arguments[replay] != nil, arguments[changes] || arguments[clean] {
      throw refuse("--replay is a question of its own")
    }
    let look = HistoryFile(path: path)
    if arguments[changes] {
      let limit = arguments[limit]
      let (transactions, head) = try await look.ask { (look) async throws(HistoryError) in
        try await look.transactions(after: start.map(Int64.init), limit: limit)
      }
      return ChangeSection(transactions: transactions, head: head)
    }
    let overview = try await look.ask { (look) async throws(HistoryError) in try await look.overview() }
    if let seq = arguments[replay] { return ReplaySection(letters: try await look.replay(Int64(seq))) }
    guard arguments[clean] else { return OverviewSection(path: path, overview: overview) }
    if arguments[dryRun] { return CleaningSection(cleaning: overview.cleaning, overview: overview, isDryRun: true) }
    return CleaningSection(cleaning: try await look.clean(), overview: overview, isDryRun: false)
  }
}
