import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `weir replay`: takes JSON lines through the whole graph into a store.
public enum ReplayCommand: Command {
  static let store = CommandOption<String>.text(
    "store", short: "s", "PATH", default: "weir.sqlite",
    "SQLite file of the projection, made if there is none. A file of another program is never touched.")
  static let account = CommandOption<String>.text(
    "account", "ID", default: GeneratorSettings.defaultAccount, "Own user id. A store belongs to one account.")
  static let follow = CommandOption<Bool>.flag(
    "follow", short: "f", "At the end of the files, wait for them to grow, until interrupted.")
  static let rate = CommandOption<Int?>.integer("rate", "N", 1...10_000_000, "Read at most N lines a second.")
  static let rejects = CommandOption<String?>.text(
    "rejects", "FILE", "Append refused lines to FILE as JSON lines: where, why, and the line itself.")
  static let strict = CommandOption<Bool>.flag("strict", "End with 65 if any line was refused.")
  static let hints = CommandOption<Bool>.flag(
    "hints", "Print a line for each hint of what changed, after its commit. This is the default.")
  static let noHints = CommandOption<Bool>.flag("no-hints", "Print no hints, only the summary.")
  static let json = CommandOption<Bool>.flag(
    "json", "Print hints, then the summary, as JSON lines on standard output; each has a \"type\".")
  static let top = CommandOption<Int>.integer(
    "top", "N", 0...1_000_000, default: 10, "Conversations in the summary, those with the latest message.")
  static let all = CommandOption<Bool>.flag("all", "All conversations in the summary.")
  static let hash = CommandOption<Bool>.flag(
    "hash", "Add a hash over all content, equal for stores that were told the same. Reads the whole store.")
  static let dropSender = CommandOption<[String]>.list(
    "drop-sender", "ID", "Do not store messages of this sender (a merge hook).")
  static let longestLine = CommandOption<Int>.byteCount(
    "longest-line", "SIZE", 1...(1 << 30), default: 1 << 20, "Refuse lines longer than SIZE.")
  static let durability = CommandOption<String>.choice(
    "durability", "WHAT", of: ["normal", "full"],
    "normal: commits survive a crash of the process. full: also a loss of power, at a price.")
  static let patience = CommandOption<Int>.integer(
    "patience", "SECONDS", 0...86_400, default: 30,
    "How long to go on trying when the disk is full or the store is locked.")
  static let check = CommandOption<Bool>.flag("check", "Check the whole store before starting.")
  static let search = CommandOption<Bool>.flag(
    "search", "Keep an index of texts for 'weir search' in the store from now on, and complete it before the end.")
  static let progress = CommandOption<Bool>.flag(
    "progress", "Show progress also when standard error is no terminal.")

  public static let description = CommandDescription(
    name: "replay",
    summary: "Take OpenIM callback messages through the graph into a store",
    discussion: [
      """
      Reads JSON lines from each FILE, from standard input for -, or from a pipe when no FILE is named, and runs the \
      real graph: decode, dedupe, merge hooks, projection in SQLite, invalidation hints ('weir graph' shows it). It \
      ends with a summary of what became of every line.
      """,
      """
      Hints are printed as they are committed: number, revision, event, conversation and message. A commit that changed \
      more than 8 conversations is told in one line; with --json every change is told.
      """,
      """
      Replaying is repeatable: lines that are in the store already change nothing, and after a crash, a full disk or a \
      kill at any moment the same command completes the work. Lines that are no message are refused and the rest goes \
      on.
      """,
      """
      The first Ctrl-C (or SIGTERM) stops reading, stores what was read and prints the summary; a further Ctrl-C ends \
      at once. Beside the store, FILE.lock keeps a second replay away while one is running.
      """,
    ],
    operands: [.init("FILE", .many, "A file of JSON lines, or - for standard input.")],
    options: [
      store.description, account.description, follow.description, rate.description, rejects.description,
      strict.description, hints.description, noHints.description, json.description, top.description, all.description,
      hash.description, dropSender.description, longestLine.description, durability.description, patience.description,
      check.description, search.description, progress.description,
    ],
    examples: [
      ("weir replay chat.jsonl --store chat.sqlite", "A file into a store of its own"),
      ("weir replay --follow --json callbacks.log > hints.jsonl", "A file that grows, with hints for a program"),
      ("weir generate -n 100000 | weir replay --rate 5000 --progress", "Through a pipe, at a steady pace"),
    ])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    let options = try options(from: arguments)
    let stop = StopRequest()
    let run = ReplayRun(options: options, stop: stop, output: SharedOutput())
    // A task of its own: cancelling the command must ask the graph to finish, not tear it down.
    let work = Task { try await run.run() }
    let summary = try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      stop.make()
    }
    if summary.stopped != .no { throw CancellationError() }
    let isRefused = summary.refusals.total > 0 && (options.isStrict || summary.refusals.total == summary.counts.lines)
    return isRefused ? .dataRefused : .success
  }

  private static func options(from arguments: ParsedArguments) throws -> ReplayOptions {
    var operands = arguments.operands
    if operands.isEmpty {
      guard isatty(0) == 0 else {
        throw UsageError(
          code: "usage.missing-argument", message: "FILE is missing, and standard input is a terminal",
          path: arguments.path)
      }
      operands = ["-"]
    }
    if arguments[all], arguments.contains(top) {
      throw UsageError(message: "--all and --top exclude each other", path: arguments.path)
    }
    if arguments[hints], arguments[noHints] {
      throw UsageError(message: "--hints and --no-hints exclude each other", path: arguments.path)
    }
    // Hints and the status line may share a terminal.
    let overStatus = TerminalDevice(descriptor: 1).isInteractive && TerminalDevice(descriptor: 2).isInteractive
    return ReplayOptions(
      inputs: operands.map(LineInput.init(operand:)), store: arguments[store], account: arguments[account],
      durability: arguments[durability] == "full" ? .full : .normal, checksStore: arguments[check],
      indexesTexts: arguments[search], follow: arguments[follow], rate: arguments[rate],
      longestLine: arguments[longestLine],
      rejects: arguments[rejects], isStrict: arguments[strict], droppedSenders: arguments[dropSender],
      patience: arguments[patience],
      hints: arguments[noHints] ? .none : arguments[json] ? .json : .short(overStatus: overStatus),
      top: arguments[all] ? nil : arguments[top], isJSON: arguments[json], showsHash: arguments[hash],
      showsProgress: arguments[progress])
  }
}
