import WeirChat
import WeirStore

/// `weir search`: finds messages of a store by their text, without touching it.
public enum SearchCommand: Command {
  static let conversation = CommandOption<String?>.text(
    "conversation", short: "c", "ID", "Search in this conversation.")
  static let sender = CommandOption<String?>.text("sender", "ID", "Search for messages of this user.")
  static let limit = CommandOption<Int>.integer("limit", short: "n", "N", 1...1_000, default: 20, "Most messages.")
  static let json = CommandOption<Bool>.flag("json", "Print one JSON object on one line.")

  public static let description = CommandDescription(
    name: "search",
    summary: "Find messages of a store by their text",
    discussion: [
      """
      Prints messages that have all the words of TEXT, the latest first. Words may come in any order, and from two letters \
      on their beginning is enough; in double quotes they stand together and whole. Chinese, Japanese, Korean and Thai \
      text is found by any part, of one character and up. Case, accents, width and punctuation make no difference.
      """,
      """
      Recalled, deleted, cleared and private messages are never found. With an index ('weir replay --search') the search is \
      quick; without one, and for what is not indexed yet, messages are looked at one by one, with the same answer.
      """,
      "The store is only read, as by 'weir inspect'.",
    ],
    operands: [
      .init("STORE", .one, "The SQLite file of a projection, as 'weir replay --store' made it."),
      .init("TEXT", .oneOrMore, "What to look for."),
    ],
    options: [conversation.description, sender.description, limit.description, json.description],
    examples: [
      ("weir search weir.sqlite invoice 发票", "Messages with both"),
      ("weir search weir.sqlite '\"see you\"' --conversation sg_3027148891 --json", "A phrase, for a program"),
    ])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    let path = arguments.operands.first ?? ""
    let query = SearchQuery(
      arguments.operands.dropFirst().joined(separator: " "), in: arguments[conversation], from: arguments[sender],
      limit: arguments[limit], tailLimit: .max)
    let report = try await StoreLook(path: path).ask { (view) throws(StoreError) in
      // What the store does not know is a mistake in the id, not a search without an answer.
      if let id = query.conversationID, try view.conversation(id) == nil { return SearchReport(unknown: id) }
      return SearchReport(revision: try view.profile().revision, page: try view.search(query))
    }
    if let id = report.unknown { throw InspectError.unknownConversation(id) }
    let output = SharedOutput()
    if arguments[json] {
      var writer = JSONWriter()
      report.write(to: &writer, path: path)
      try output.append(writer.bytes)
    } else {
      try output.append(report.lines(width: TerminalDevice(descriptor: 1).width).map { $0 + "\n" }.joined())
    }
    try output.flush()
    return .success
  }
}

/// What `weir search` found.
struct SearchReport: Sendable {
  var unknown: String?
  var revision: Int64 = 0
  var page = SearchPage()

  func lines(width: Int) -> [String] {
    guard !page.hits.isEmpty else { return ["no message is found"] }
    // Ids are there to be copied: they are cut only when they are absurd.
    var table = TextTable([
      .init("time"), .init("conversation", shrinksTo: 48), .init("sender", shrinksTo: 6), .init("id", shrinksTo: 48),
      .init("text", shrinksTo: 24),
    ])
    for hit in page.hits {
      table.append([
        String(Humane.time(hit.time).prefix(19)), hit.conversationID, hit.senderID, hit.clientMsgID, hit.snippet.text,
      ])
    }
    return table.lines(width: width) + (page.next == nil ? [] : ["and more; --limit N shows more"])
  }

  func write(to writer: inout JSONWriter, path: String) {
    writer.beginObject()
    writer.field("type", "search")
    writer.field("store", path)
    writer.field("revision", revision)
    writer.key("hits")
    writer.beginArray()
    for hit in page.hits {
      writer.beginObject()
      writer.field("conversationID", hit.conversationID)
      writer.field("clientMsgID", hit.clientMsgID)
      writer.field("sendID", hit.senderID)
      writer.field("time", hit.time)
      writer.field("contentType", hit.contentType)
      writer.field("text", hit.snippet.text)
      writer.key("matches")
      writer.beginArray()
      for match in hit.snippet.matches {
        // In UTF-16 units, as OpenIM's clients count.
        let text = hit.snippet.text.utf16
        writer.beginArray()
        writer.integer(text.distance(from: text.startIndex, to: match.lowerBound))
        writer.integer(text.distance(from: text.startIndex, to: match.upperBound))
        writer.endArray()
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.field("hasMore", page.next != nil)
    writer.endObject()
    writer.endLine()
  }
}
