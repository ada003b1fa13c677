import WeirChat

/// The conversation list.
struct ConversationSection: InspectSection {
  let conversations: [ConversationSummary]
  let total: Totals

  func lines(width: Int) -> [String] {
    guard !conversations.isEmpty else { return ["no conversation is listed"] }
    // Ids are there to be copied: they are cut only when they are absurd.
    var table = TextTable([
      .init("conversation", shrinksTo: 48), .init("title", shrinksTo: 6), .init("unread", .right), .init("last"),
      .init("message", shrinksTo: 8),
    ])
    for conversation in conversations {
      let pin = conversation.properties.isPinned ? "[pinned] " : ""
      table.append([
        conversation.conversationID, conversation.title,
        UnreadText.text(conversation.unread, unfetched: conversation.unfetched),
        String(Humane.time(conversation.lastTime).prefix(19)),
        pin + (conversation.last?.preview ?? (conversation.properties.draft.isEmpty ? "" : "[Draft]")),
      ])
    }
    var lines = table.lines(width: width)
    let rest = total.conversations - conversations.count
    if rest > 0 { lines.append("and \(Humane.count(rest)) more; --limit N shows more") }
    return lines
  }

  func write(to writer: inout JSONWriter) {
    writer.key("conversations")
    writer.beginArray()
    for conversation in conversations {
      writer.beginObject()
      conversation.writeFields(to: &writer)
      writer.key("last")
      if let last = conversation.last { last.write(to: &writer) } else { writer.null() }
      writer.endObject()
    }
    writer.endArray()
  }
}

/// One conversation's messages, newest first.
struct TimelineSection: InspectSection {
  let summary: ConversationSummary
  let messages: [StoredMessage]
  let hasMore: Bool

  func lines(width: Int) -> [String] {
    var lines = [
      "\(printable(summary.conversationID)): \(printable(summary.title)), "
        + "\(UnreadText.text(summary.unread, unfetched: summary.unfetched)) unread, read up to seq \(summary.readSeq)"
        + (summary.properties.isPinned ? ", pinned" : "") + ", revision \(Humane.count(summary.revision))"
    ]
    guard !messages.isEmpty else { return lines + ["no message is to be shown"] }
    var table = TextTable([
      .init("time"), .init("seq", .right), .init("sender", shrinksTo: 6), .init("state"), .init("id", shrinksTo: 48),
    ])
    for message in messages {
      table.append([
        String(Humane.time(message.sortTime).prefix(19)), message.envelope.seq > 0 ? "\(message.envelope.seq)" : "-",
        message.isMine ? "me" : message.envelope.senderID, message.state.rawValue, message.key.clientMsgID,
      ])
    }
    // The text stands on a line of its own, so that the id is whole.
    let rows = table.lines(width: width)
    lines += rows.prefix(1)
    for (row, message) in zip(rows.dropFirst(), messages) {
      let edit = message.edit.map { " (edited, version \($0.version))" } ?? ""
      lines += [row, DisplayWidth.truncate("    " + printable(message.preview + edit), to: width)]
    }
    if hasMore, let last = messages.last {
      lines.append("older ones: --before \(printable(last.key.clientMsgID))")
    }
    return lines
  }

  func write(to writer: inout JSONWriter) {
    writer.key("timeline")
    writer.beginObject()
    summary.writeFields(to: &writer)
    writer.key("messages")
    writer.beginArray()
    for message in messages { message.write(to: &writer) }
    writer.endArray()
    writer.field("hasMore", hasMore)
    writer.endObject()
  }
}

/// Seqs that have not come.
struct GapSection: InspectSection {
  private struct Conversation: Sendable {
    let id: String
    let missing: Int64
    let intervals: Int
    let shown: [ClosedRange<Int64>]
  }

  private var conversations: [Conversation] = []
  private var intervals = 0
  private var left = 0

  /// Adds a conversation's gaps; at most `limit` intervals are shown in all.
  mutating func add(_ id: String, _ missing: SeqIntervals, limit: Int) {
    intervals += missing.ranges.count
    let shown = Array(missing.ranges.prefix(limit - conversations.reduce(0) { $0 + $1.shown.count }))
    guard !shown.isEmpty else {
      left += 1
      return
    }
    conversations.append(
      Conversation(id: id, missing: missing.count, intervals: missing.ranges.count, shown: shown))
  }

  func lines(width: Int) -> [String] {
    guard !conversations.isEmpty else { return ["no seq is missing"] }
    var table = TextTable([
      .init("conversation", shrinksTo: 48), .init("missing", .right), .init("seqs", shrinksTo: 20),
    ])
    for conversation in conversations {
      var seqs = conversation.shown.map { text($0) }.joined(separator: ", ")
      if conversation.shown.count < conversation.intervals { seqs += ", …" }
      table.append([conversation.id, Humane.count(conversation.missing), seqs])
    }
    var lines = table.lines(width: width)
    let hidden = intervals - conversations.reduce(0) { $0 + $1.shown.count }
    if hidden > 0 {
      let others = left > 0 ? " and \(Humane.count(left)) more conversations" : ""
      lines.append("and \(Humane.count(hidden)) more intervals\(others); --limit N shows more")
    }
    return lines
  }

  private func text(_ range: ClosedRange<Int64>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
  }

  func write(to writer: inout JSONWriter) {
    writer.key("gaps")
    writer.beginArray()
    for conversation in conversations {
      writer.beginObject()
      writer.field("conversationID", conversation.id)
      writer.field("missing", conversation.missing)
      writer.key("intervals")
      writer.beginArray()
      for range in conversation.shown {
        writer.beginArray()
        writer.integer(range.lowerBound)
        writer.integer(range.upperBound)
        writer.endArray()
      }
      writer.endArray()
      writer.field("isComplete", conversation.shown.count == conversation.intervals)
      writer.endObject()
    }
    writer.endArray()
    writer.field("gapsLeftOut", left)
  }
}

extension ConversationSummary {
  /// Its members but the messages.
  fileprivate func writeFields(to writer: inout JSONWriter) {
    writer.field("conversationID", conversationID)
    writer.field("title", title)
    writer.field("unread", unread)
    writer.field("unfetched", unfetched)
    writer.field("isPinned", properties.isPinned)
    writer.field("readSeq", readSeq)
    writer.field("lastTime", lastTime)
    writer.field("draft", properties.draft)
    writer.field("revision", revision)
  }
}
