import WeirHistory

/// Recorded changes, by transaction.
struct ChangeSection: InspectSection {
  let transactions: [HistoryTransaction]
  /// The last transaction that is held.
  let head: Int64

  /// The transaction to go on behind, where there is more.
  private var next: Int64? { transactions.last.flatMap { $0.seq < head ? $0.seq : nil } }

  func lines(width: Int) -> [String] {
    guard !transactions.isEmpty else { return ["nothing is recorded there"] }
    var table = TextTable([
      .init("seq", .right), .init("time"), .init("author", shrinksTo: 16), .init("operation"),
      .init("entity", shrinksTo: 16), .init("key", shrinksTo: 16), .init("columns", shrinksTo: 16),
    ])
    for transaction in transactions {
      for change in transaction.changes {
        table.append([
          "\(transaction.seq)", String(HistoryWords.time(transaction.date).prefix(19)), transaction.author ?? "-",
          "\(change.operation)", change.entity, change.key.map(\.description).joined(separator: ", "), columns(change),
        ])
      }
    }
    return table.lines(width: width) + (next.map { ["and more; --after \($0) goes on"] } ?? [])
  }

  private func columns(_ change: HistoryChange) -> String {
    if change.operation == .delete {
      return change.tombstone.sorted { $0.key < $1.key }.map { "\($0.key) was \($0.value)" }.joined(separator: ", ")
    }
    return (change.columns.sorted() + (change.changesOther ? ["others"] : [])).joined(separator: ", ")
  }

  func write(to writer: inout JSONWriter) {
    writer.field("head", head)
    writer.key("transactions")
    writer.beginArray()
    for transaction in transactions {
      writer.beginObject()
      writer.field("seq", transaction.seq)
      if let author = transaction.author { writer.field("author", author) }
      if let process = transaction.process { writer.field("process", process) }
      if let context = transaction.context { writer.field("context", context) }
      if let cause = transaction.cause { writer.field("cause", cause) }
      writer.field("time", HistoryWords.milliseconds(transaction.date))
      writer.key("changes")
      writer.beginArray()
      for change in transaction.changes { write(change, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    if let next { writer.field("next", next) }
  }

  private func write(_ change: HistoryChange, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("entity", change.entity)
    writer.field("operation", "\(change.operation)")
    writer.key("key")
    writer.beginArray()
    for value in change.key { HistoryWords.write(value, to: &writer) }
    writer.endArray()
    if change.operation == .update {
      writer.key("columns")
      writer.beginArray()
      for column in change.columns.sorted() { writer.string(column) }
      writer.endArray()
      writer.field("changesOther", change.changesOther)
    }
    if !change.tombstone.isEmpty {
      writer.key("tombstone")
      writer.beginObject()
      for (column, value) in change.tombstone.sorted(by: { $0.key < $1.key }) {
        writer.key(column)
        HistoryWords.write(value, to: &writer)
      }
      writer.endObject()
    }
    writer.endObject()
  }
}
