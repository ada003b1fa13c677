/// `weir generate`: synthetic OpenIM callback messages as JSON lines.
public enum GenerateCommand: Command {
  static let messages = CommandOption<Int>.integer(
    "messages", short: "n", "N", 0...1_000_000_000_000, default: 10_000, "Distinct messages.")
  static let conversations = CommandOption<Int>.integer(
    "conversations", short: "c", "C", 1...10_000_000, default: 100,
    "Conversations; the most popular ones get most messages.")
  static let duplicates = CommandOption<Double>.probability(
    "duplicates", "P", default: 0,
    "Probability, for each message, that an earlier one is delivered again: the same bytes, or as sent and read.")
  static let reorder = CommandOption<Double>.probability(
    "reorder", "P", default: 0, "Probability, for each line, that it comes late.")
  static let window = CommandOption<Int>.integer(
    "window", "N", 1...65_536, default: 32, "Most lines by which a line comes late.")
  static let malformed = CommandOption<Double>.probability(
    "malformed", "P", default: 0, "Probability, for each message, that a line that is no message follows.")
  static let recalls = CommandOption<Double>.probability(
    "recalls", "P", default: 0.01, "Probability, for each message, that an earlier one is recalled.")
  static let seed = CommandOption<UInt64>.seed(
    "seed", "S", default: 1, "The same seed and options give the same bytes.")
  static let account = CommandOption<String>.text(
    "account", "ID", default: GeneratorSettings.defaultAccount, "Own user id.")
  static let output = CommandOption<String?>.text(
    "output", short: "o", "FILE", "Write to FILE instead of standard output.")
  static let force = CommandOption<Bool>.flag("force", "Replace FILE if it exists.")
  static let report = CommandOption<String?>.text(
    "report", "FILE", "Write what was generated, in numbers, to FILE as JSON.")
  static let progress = CommandOption<Bool>.flag(
    "progress", "Show progress also when standard error is no terminal.")

  public static let description = CommandDescription(
    name: "generate",
    summary: "Write synthetic OpenIM callback messages as JSON lines",
    discussion: [
      """
      The messages are mostly text, in English and Chinese, with mentions, quotations, pictures, files, typing \
      notices, custom and unknown content, in single chats and groups. In each conversation seq counts up from 1. \
      Copies, recalls and malformed lines come on top of the N messages.
      """,
      """
      The messages of a seed do not depend on --duplicates, --reorder and --malformed, so a clean and a disturbed \
      delivery of one history can be compared.
      """,
    ],
    options: [
      messages.description, conversations.description, duplicates.description, reorder.description,
      window.description, malformed.description, recalls.description, seed.description, account.description,
      output.description, force.description, report.description, progress.description,
    ],
    examples: [
      ("weir generate -n 1000000 --duplicates 5% --reorder 10% -o chat.jsonl", "A rough delivery"),
      ("weir generate --messages 100000 | weir replay", "Through a pipe"),
    ])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    if arguments[force], arguments[output] == nil {
      throw UsageError(message: "--force is of use only with --output", path: arguments.path)
    }
    var generator = MessageGenerator(settings(from: arguments))
    // Everything is opened before work starts, so that a wrong name is told at once.
    var file: OutputFile
    if let path = arguments[output] {
      file = try OutputFile(creating: path, replacing: arguments[force])
    } else {
      file = .standardOutput()
    }
    var status = StatusLine.standardError(isForced: arguments[progress])
    var meter = ProgressMeter(total: .elements(arguments[messages]))
    let clock = ContinuousClock()
    let start = clock.now
    var bytes: Int64 = 0
    var block: [UInt8] = []
    var hasMore = true
    while hasMore, !Task.isCancelled {
      block.removeAll(keepingCapacity: true)
      hasMore = generator.generate(into: &block, upTo: 1 << 17)
      try file.append(block)
      bytes += Int64(block.count)
      let elapsed = clock.now - start
      meter.observe(ProgressMeter.Sample(elements: generator.report.messages, bytes: bytes), at: elapsed)
      status.update(at: elapsed) { meter.line(width: $0) }
    }
    try file.flush()
    status.finish(meter.summary())
    if let path = arguments[report] {
      var reportFile = try OutputFile(creating: path, replacing: true)
      try reportFile.append(generator.report.json())
      try reportFile.flush()
    }
    if hasMore { throw CancellationError() }
    return .success
  }

  private static func settings(from arguments: ParsedArguments) -> GeneratorSettings {
    GeneratorSettings(
      messages: arguments[messages], conversations: arguments[conversations], duplicates: arguments[duplicates],
      reorder: arguments[reorder], malformed: arguments[malformed], recalls: arguments[recalls],
      window: arguments[window], seed: arguments[seed], account: arguments[account])
  }
}
