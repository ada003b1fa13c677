import Weir
import WeirChat
import WeirStore

/// A summary for people.
struct SummaryText {
  let summary: ReplaySummary
  let totals: Snapshot<Totals>
  let hash: Hash128?

  func print(_ store: SQLiteMessageStore, _ output: SharedOutput) async throws {
    let width = TerminalDevice(descriptor: 1).width
    // Hints come before; the summary begins after a gap.
    if summary.counts.hints > 0, case .short = summary.options.hints { try output.append("\n") }
    try output.append(block(head + [""] + accounts))
    try output.append(block(refusals))
    try await printConversations(store, width, output)
    try output.append(block([""] + NodeTable.lines(summary.snapshot, width: width)))
  }

  private func block(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  private var head: [String] {
    let counts = summary.counts
    var lines = [
      "\(Humane.count(counts.lines, "line")), \(Humane.bytes(counts.bytes)) in \(Humane.duration(summary.elapsed))"
        + " (\(Humane.rate(summary.rate)))" + (PeakMemory.bytes.map { ", \(Humane.bytes($0)) of memory" } ?? "")
    ]
    let value = totals.value
    let unread = UnreadText.text(value.unread, unfetched: value.unfetched)
    lines.append(
      "\(printable(summary.options.store)) holds \(Humane.count(value.messages, "message")) in "
        + "\(Humane.count(value.conversations, "conversation")), \(unread) unread")
    if counts.lines == 0 {
      let isNew = summary.revisionBefore == 0 && totals.revision == 0
      lines.append("there was nothing to read" + (isNew ? ": the store is empty" : ""))
    } else if summary.refusals.total == counts.lines {
      lines.append("nothing could be read: every line was refused")
    } else if summary.counts.facts.total == 0 {
      lines.append("nothing has changed: there was nothing to store")
    } else if !counts.hasChanged {
      lines.append("nothing has changed: the store held all of this already")
    }
    switch summary.stopped {
    case .no: break
    case .draining, .drained: lines.append("stopped on request; everything that was read is stored")
    case .abandoned:
      lines.append(
        "stopped on request; \(Humane.count(summary.unsettled, "line")) read and not stored in time: "
          + "run the same command again")
    }
    if let hash { lines.append("content hash \(hash)") }
    return lines
  }

  /// What became of the lines, as a table.
  private var accounts: [String] {
    let counts = summary.counts
    let stored = counts.stored
    var table = TextTable([.init("lines", .right), .init("became", shrinksTo: 20)])
    func row(_ count: Int, _ text: String) {
      if count > 0 { table.append([Humane.count(count), text]) }
    }
    row(stored.inserted, "new messages")
    row(stored.advanced, "news of what was known")
    row(stored.recalled, "recalls")
    row(stored.orphaned, "facts ahead of their message, kept for it")
    row(summary.mergedByWindow + stored.merged, "told nothing new, merged")
    row(summary.events, "not for the store: " + list(counts.events))
    row(summary.dropped, "dropped by hooks: " + list(counts.dropped))
    row(counts.unstorable, "without a place in the store")
    row(summary.refusals.total, "refused")
    guard counts.lines > 0 else { return [] }
    let kinds = counts.facts.occurring.map { "\(Humane.count($0.count)) \($0.kind.words($0.count))" }
    // Some lines hold several facts, so the rows may come to more than the lines.
    let more = counts.more > 0 ? "; \(Humane.count(counts.more)) of them beyond the first of their line" : ""
    return table.lines() + (kinds.isEmpty ? [] : ["facts: " + kinds.joined(separator: ", ") + more])
  }

  private var refusals: [String] {
    let report = summary.refusals
    guard report.total > 0 else { return [] }
    var lines = ["", "refused:"]
    for entry in report.first {
      lines.append("  \(printable(entry.file)):\(entry.line): \(printable(entry.reason)) [\(entry.code)]")
    }
    let rest = report.total - report.first.count
    switch (rest, summary.options.rejects) {
    case (_, let path?): lines.append("  all of them are in \(printable(path))")
    case (1..., nil): lines.append("  and \(Humane.count(rest)) more; --rejects FILE keeps them all")
    default: break
    }
    return lines
  }

  private func list(_ counts: [String: Int]) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\(Humane.count($0.value)) \($0.key)" }.joined(separator: ", ")
  }

  /// A page at a time, so that `--all` takes no more memory than the default.
  private func printConversations(_ store: SQLiteMessageStore, _ width: Int, _ output: SharedOutput) async throws {
    var pages = ConversationPages(store, limit: summary.options.top)
    var shown = 0
    while let page = try await pages.next() {
      var table = TextTable([
        .init("conversation", shrinksTo: 16), .init("unread", .right), .init("last message", shrinksTo: 16),
      ])
      for conversation in page {
        table.append([
          conversation.title, UnreadText.text(conversation.unread, unfetched: conversation.unfetched),
          conversation.last?.preview ?? "",
        ])
      }
      let lines = table.lines(width: width)
      try output.append(block(shown == 0 ? [""] + lines : Array(lines.dropFirst())))
      shown += page.count
    }
    let rest = totals.value.conversations - shown
    if shown > 0, rest > 0 { try output.append("and \(Humane.count(rest)) more; --all shows them\n") }
  }
}
