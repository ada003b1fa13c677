import Synchronization

/// `weir lines`: looks at files of JSON lines without decoding them.
public enum LinesCommand: Command {
  static let follow = CommandOption<Bool>.flag(
    "follow", short: "f", "At the end of the files, wait for them to grow, until interrupted.")
  static let longestLine = CommandOption<Int>.byteCount(
    "longest-line", "SIZE", 1...(1 << 30), default: 16 << 20, "Refuse lines longer than SIZE.")
  static let rejects = CommandOption<String?>.text(
    "rejects", "FILE", "Append refused lines to FILE as JSON lines.")
  static let strict = CommandOption<Bool>.flag("strict", "End with 65 if any line was refused.")
  static let json = CommandOption<Bool>.flag("json", "Print the result as JSON.")
  static let progress = CommandOption<Bool>.flag(
    "progress", "Show progress also when standard error is no terminal.")

  public static let description = CommandDescription(
    name: "lines",
    summary: "Check that files are lines of UTF-8 text, and count them",
    discussion: [
      """
      Reads each FILE, or standard input for -, and reports lines, refused lines and bytes. A line is refused when it \
      is too long or not UTF-8; with --rejects it is kept for later.
      """
    ],
    operands: [.init("FILE", .oneOrMore, "A file of lines, or - for standard input.")],
    options: [
      follow.description, longestLine.description, rejects.description, strict.description, json.description,
      progress.description,
    ],
    examples: [("weir lines --rejects bad.jsonl chat.jsonl", "Keep what is refused")])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    var settings = LineSource.Settings()
    settings.longestLine = arguments[longestLine]
    settings.follow = arguments[follow]
    let inputs = arguments.operands.map(LineInput.init(operand:))
    let events = EventBuffer()
    var source = try LineSource(inputs, settings: settings) { events.append($0) }
    var rejectsWriter: RejectsWriter?
    if let path = arguments[rejects] { rejectsWriter = try RejectsWriter(path: path) }

    var tally = LineTally(names: inputs.map(\.name), rejects: rejectsWriter)
    var status = StatusLine.standardError(isForced: arguments[progress])
    var meter = ProgressMeter(counting: "lines", total: source.totalBytes.map { .bytes($0) } ?? .unknown)
    let clock = ContinuousClock()
    let start = clock.now
    var lines: [RawLine] = []
    var wasCancelled = false
    do {
      while try await source.next(into: &lines, limit: 1_024) {
        for event in events.take() { try tally.add(event, status: &status) }
        for line in lines { try tally.add(line) }
        lines.removeAll(keepingCapacity: true)
        let elapsed = clock.now - start
        meter.observe(tally.sample(bytes: source.bytesRead), at: elapsed)
        status.update(at: elapsed) { meter.line(width: $0) }
      }
    } catch LineSourceError.cancelled {
      wasCancelled = true
    }
    for event in events.take() { try tally.add(event, status: &status) }
    try rejectsWriter?.flush()
    meter.observe(tally.sample(bytes: source.bytesRead), at: clock.now - start)
    status.finish(meter.summary())
    var output = OutputFile.standardOutput()
    try output.append(arguments[json] ? tally.json() : tally.table())
    try output.flush()
    if wasCancelled { throw CancellationError() }
    return arguments[strict] && tally.refused > 0 ? .dataRefused : .success
  }
}

/// Events between two pulls; a pull makes no more of them than a block has lines.
private final class EventBuffer: Sendable {
  private let events = Mutex<[LineSourceEvent]>([])

  func append(_ event: LineSourceEvent) { events.withLock { $0.append(event) } }

  func take() -> [LineSourceEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
