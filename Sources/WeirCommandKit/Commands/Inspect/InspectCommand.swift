import WeirChat
import WeirStore

/// `weir inspect`: shows what a store holds and why, without touching it.
public enum InspectCommand: Command {
  static let conversation = CommandOption<String?>.text(
    "conversation", short: "c", "ID",
    "Print this conversation's messages, newest first; with another question, ask it here.")
  static let message = CommandOption<String?>.text(
    "message", short: "m", "ID",
    "Explain the message with this client id: what the store keeps of it, and why it shows as it does.")
  static let gaps = CommandOption<Bool>.flag(
    "gaps", "Print the seqs that exist on the server and have not come, by conversation.")
  static let orphans = CommandOption<Bool>.flag(
    "orphans", "Print recalls, edits, deletions and receipts whose message has not come.")
  static let before = CommandOption<String?>.text(
    "before", "ID", "Begin the timeline behind the message with this client id.")
  static let limit = CommandOption<Int>.integer(
    "limit", short: "n", "N", 1...1_000_000, default: 20, "Most lines of each list.")
  static let json = CommandOption<Bool>.flag("json", "Print one JSON object on one line.")

  public static let description = CommandDescription(
    name: "inspect",
    summary: "Show what a store holds, and why",
    discussion: [
      """
      Without options: whose store it is, and its conversations with unread numbers and last messages. An unread number \
      is exact, or a range where messages are known to exist that have not been fetched.
      """,
      """
      The store is only read: neither it nor its log is changed, no file is made beside it, and another process may go \
      on writing to it. All of an answer comes from one snapshot.
      """,
      """
      Ids are those of OpenIM: conversation ids such as sg_3027148891, messages by their clientMsgID. Times are UTC.
      """,
    ],
    operands: [.init("STORE", .one, "The SQLite file of a projection, as 'weir replay --store' made it.")],
    options: [
      conversation.description, message.description, gaps.description, orphans.description, before.description,
      limit.description, json.description,
    ],
    examples: [
      ("weir inspect weir.sqlite", "What is in it"),
      ("weir inspect weir.sqlite --conversation sg_3027148891 --limit 50", "A timeline"),
      ("weir inspect weir.sqlite --message 0f3c1b2a4d5e6f708192a3b4c5d6e7f8", "Why a message shows as it does"),
      ("weir inspect weir.sqlite --gaps --orphans --json", "What is still missing, for a program"),
    ])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    let request = try request(from: arguments)
    let path = arguments.operands.first ?? ""
    let report = try await StoreLook(path: path).ask { (view) throws(StoreError) in try request.report(view) }
    if let failure = report.failure { throw failure }
    let output = SharedOutput()
    if arguments[json] {
      var writer = JSONWriter()
      report.write(to: &writer, path: path)
      try output.append(writer.bytes)
    } else {
      let lines = report.lines(path: path, width: TerminalDevice(descriptor: 1).width)
      try output.append(lines.map { $0 + "\n" }.joined())
    }
    try output.flush()
    return .success
  }

  private static func request(from arguments: ParsedArguments) throws(UsageError) -> InspectRequest {
    let request = InspectRequest(
      conversation: arguments[conversation], message: arguments[message], showsGaps: arguments[gaps],
      showsOrphans: arguments[orphans], before: arguments[before], limit: arguments[limit])
    if request.before != nil, !request.showsTimeline {
      throw UsageError(
        message: "--before goes with --conversation, and not with another question", path: arguments.path)
    }
    return request
  }
}
