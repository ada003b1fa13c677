import Weir
import WeirChat

/// The last node of a replay: counts hints and prints them where the user wants to see them.
struct HintPrinter: AsyncChunkStage {
  typealias Input = EventEnvelope
  typealias Output = Never

  /// How hints are printed.
  enum Form: Sendable { case none, short, json }

  let form: Form
  let output: SharedOutput
  let tally: ReplayTally

  mutating func process(_ hints: [EventEnvelope], _ emit: (Never) -> Void) async throws(OutputError) {
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

extension EventEnvelope {
  /// The hint on one line for people.
  var line: String {
    let place = [revision.map { "r\($0)" }, "\(event.kind)", conversationID, clientMsgID].compactMap { $0 }
    return printable((["#\(number)"] + place).joined(separator: "  "))
  }

  /// The hint as a JSON object on a line of its own; what it does not tell is left out.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("type", "hint")
    writer.field("number", number)
    if let revision { writer.field("revision", revision) }
    writer.field("event", "\(event.kind)")
    if let conversationID { writer.field("conversationID", conversationID) }
    if let clientMsgID { writer.field("clientMsgID", clientMsgID) }
    if let change = event.change { writer.field("affectedCount", change.affectedCount) }
    writer.endObject()
    writer.endLine()
  }

  private var conversationID: String? {
    switch event {
    case .messageMutated(_, let conversation), .conversationReadChanged(let conversation): conversation
    default: event.change?.conversationID
    }
  }

  private var clientMsgID: String? {
    if case .messageMutated(let id, _) = event { id } else { event.change?.clientMessageID }
  }
}
