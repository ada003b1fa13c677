import Weir
import WeirChat
import WeirStore

/// A summary for programs: one JSON object on one line, with `"type":"summary"`.
///
/// Conversations come last and are written a page at a time, so that all of them take no more memory than a few.
struct SummaryJSON {
  let summary: ReplaySummary
  let totals: Snapshot<Totals>
  let hash: Hash128?

  func print(_ store: SQLiteMessageStore, _ output: SharedOutput) async throws {
    var writer = JSONWriter()
    writer.beginObject()
    writeRun(to: &writer)
    writeLines(to: &writer)
    writeStore(to: &writer)
    writeNodes(to: &writer)
    writer.key("conversations")
    writer.beginArray()
    try output.append(writer.bytes)
    var pages = ConversationPages(store, limit: summary.options.top)
    var isFirst = true
    while let page = try await pages.next() {
      for conversation in page {
        var item = JSONWriter()
        write(conversation, to: &item)
        try output.append((isFirst ? "" : ",") + item.text)
        isFirst = false
      }
    }
    try output.append("]}\n")
  }

  private func writeRun(to writer: inout JSONWriter) {
    writer.field("type", "summary")
    writer.field("account", summary.options.account)
    writer.key("files")
    writer.beginArray()
    for input in summary.options.inputs { writer.string(input.name) }
    writer.endArray()
    writer.field("seconds", summary.elapsed / .seconds(1))
    writer.field("linesPerSecond", summary.rate)
    if let memory = PeakMemory.bytes { writer.field("peakMemory", memory) }
    writer.field("stopped", summary.stopped != .no)
    writer.field("changed", summary.counts.hasChanged)
    writer.field("hints", summary.counts.hints)
    writer.field("commits", summary.counts.commits)
  }

  private func writeLines(to writer: inout JSONWriter) {
    let counts = summary.counts
    writer.field("bytes", counts.bytes)
    writer.key("lines")
    writer.beginObject()
    writer.field("read", counts.lines)
    writer.field("more", counts.more)
    writer.field("inserted", counts.stored.inserted)
    writer.field("advanced", counts.stored.advanced)
    writer.field("recalled", counts.stored.recalled)
    writer.field("orphaned", counts.stored.orphaned)
    writer.field("merged", summary.mergedByWindow + counts.stored.merged)
    writer.field("events", summary.events)
    writer.field("dropped", summary.dropped)
    writer.field("unstorable", counts.unstorable)
    writer.field("refused", summary.refusals.total)
    writer.field("unsettled", summary.unsettled)
    writer.endObject()
    writer.key("facts")
    writer.beginObject()
    for (kind, count) in counts.facts.occurring { writer.field("\(kind)", count) }
    writer.endObject()
    write("events", counts.events, to: &writer)
    write("dropped", counts.dropped, to: &writer)
    write("refused", summary.refusals.codes, to: &writer)
    writer.key("firstRefused")
    writer.beginArray()
    for entry in summary.refusals.first {
      writer.beginObject()
      writer.field("file", entry.file)
      writer.field("line", entry.line)
      writer.field("code", entry.code)
      writer.field("reason", entry.reason)
      writer.endObject()
    }
    writer.endArray()
  }

  private func writeStore(to writer: inout JSONWriter) {
    writer.key("store")
    writer.beginObject()
    writer.field("path", summary.options.store)
    writer.field("revisionBefore", summary.revisionBefore)
    writer.field("revision", totals.revision)
    writer.field("conversations", totals.value.conversations)
    writer.field("messages", totals.value.messages)
    writer.field("unread", totals.value.unread)
    if let hash { writer.field("contentHash", "\(hash)") }
    writer.endObject()
  }

  private func writeNodes(to writer: inout JSONWriter) {
    writer.key("nodes")
    writer.beginArray()
    for node in summary.snapshot.nodes {
      writer.beginObject()
      writer.field("name", node.name)
      writer.field("in", node.elementsIn)
      writer.field("out", node.elementsOut)
      writer.field("busy", NodeTable.ratio(node.busy, of: node))
      writer.field("idle", NodeTable.ratio(node.idle, of: node))
      writer.field("blocked", NodeTable.ratio(node.blocked, of: node))
      writer.field("errors", node.errors)
      writer.field("retries", node.retries)
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(_ conversation: ConversationSummary, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("conversationID", conversation.conversationID)
    writer.field("title", conversation.title)
    writer.field("unread", conversation.unread)
    writer.field("revision", conversation.revision)
    writer.key("last")
    if let last = conversation.last {
      writer.beginObject()
      writer.field("clientMsgID", last.key.clientMsgID)
      writer.field("senderID", last.envelope.senderID)
      writer.field("sendTime", last.envelope.sendTime)
      writer.field("preview", last.preview)
      writer.endObject()
    } else {
      writer.null()
    }
    writer.endObject()
  }

  private func write(_ name: String, _ counts: [String: Int], to writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    for (code, count) in counts.sorted(by: { $0.key < $1.key }) { writer.field(code, count) }
    writer.endObject()
  }
}
