import Weir
import WeirChat

/// The last node of a replay: counts hints and prints them where the user wants to see them.
struct HintPrinter: AsyncChunkStage {
  typealias Input = InvalidationHint
  typealias Output = Never

  /// How hints are printed.
  enum Form: Sendable { case none, short, json }

  let form: Form
  let output: SharedOutput
  let tally: ReplayTally

  mutating func process(_ hints: [InvalidationHint], _ emit: (Never) -> Void) async throws(OutputError) {
    tally.hinted(hints.count)
    switch form {
    case .none: return
    case .short: try output.append(hints.map { $0.line + "\n" }.joined())
    case .json:
      var writer = JSONWriter()
      for hint in hints { hint.write(to: &writer) }
      try output.append(writer.bytes)
    }
    // What was ready is all there is for now: a reader at the other end is not kept waiting.
    try output.flush()
  }
}

extension InvalidationHint {
  /// The hint on one line for people.
  var line: String {
    let count = clientMsgIDs.count
    let messages = count > 0 ? "  \(count) \(count == 1 ? "message" : "messages")" : ""
    return printable("#\(number)  r\(revision)  \(event.rawValue)  \(conversationID)\(messages)  ")
      + kinds.names.joined(separator: ",")
  }

  /// The hint as a JSON object on a line of its own.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("type", "hint")
    writer.field("number", number)
    writer.field("revision", revision)
    writer.field("event", event.rawValue)
    writer.field("conversationID", conversationID)
    writer.key("kinds")
    writer.beginArray()
    for name in kinds.names { writer.string(name) }
    writer.endArray()
    writer.key("clientMsgIDs")
    writer.beginArray()
    for id in clientMsgIDs { writer.string(id) }
    writer.endArray()
    writer.endObject()
    writer.endLine()
  }
}
