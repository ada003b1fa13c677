import Weir
import WeirChat

/// The last node of a replay: counts hints and prints them where the user wants to see them.
struct HintPrinter: AsyncChunkStage {
  typealias Input = EventEnvelope
  typealias Output = Never

  /// How hints are printed.
  enum Form: Sendable, Equatable {
    /// Only counted.
    case none
    /// A line for people each. `overStatus` when a status line is drawn on the same terminal: its remains are erased
    /// first, and it is drawn again below.
    case short(overStatus: Bool)
    /// A JSON object on a line each.
    case json

    /// A commit that changed more conversations than this is told in one hint. Programs get every detail, people a line.
    var batch: Int { if case .short = self { 8 } else { .max } }
  }

  let form: Form
  let output: SharedOutput
  let tally: ReplayTally

  mutating func process(_ hints: [EventEnvelope], _ emit: (Never) -> Void) async throws(OutputError) {
    tally.hinted(hints.count)
    switch form {
    case .none: return
    case .short(let overStatus):
      try output.append((overStatus ? "\r\u{1B}[K" : "") + hints.map { $0.line + "\n" }.joined())
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
    var parts = ["#\(number)"]
    if let revisions = event.change?.revisions {
      parts.append(
        revisions.count == 1 ? "r\(revisions.lowerBound)" : "r\(revisions.lowerBound)–\(revisions.upperBound)")
    }
    parts.append("\(event.kind)")
    parts += [conversationID, clientMsgID, extent].compactMap { $0 }
    return printable(parts.joined(separator: "  "))
  }

  /// How much changed, where the hint names no single message.
  private var extent: String? {
    switch event {
    case .mediaTaskUpdated(let update): return update.taskID
    case .socialChanged(let change): return change.socialScope.map { "\($0)" }
    default: break
    }
    guard let change = event.change, clientMsgID == nil else { return nil }
    var parts: [String] = []
    // Each revision is one change of one conversation or list.
    if let revisions = change.revisions, revisions.count > 1 { parts.append("\(revisions.count) changes") }
    if change.affectedCount > 0 {
      parts.append(change.affectedCount == 1 ? "1 message" : "\(change.affectedCount) messages")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
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
