import WeirHistory

/// How a history stands.
struct OverviewSection: InspectSection {
  let path: String
  let overview: HistoryOverview

  func lines(width: Int) -> [String] {
    let held = Humane.count(overview.transactions, "transaction")
    var lines = [
      "\(printable(path)): history \(overview.store), epoch \(overview.epoch), head \(Humane.count(overview.head))",
      "\(held) with \(Humane.count(overview.changes, "change")) held, "
        + "purged through \(Humane.count(overview.purgedThrough)); the file has \(Humane.bytes(overview.bytes))",
      CleaningSection.holdLine(overview),
    ]
    lines += overview.gaps.map { printable($0.description) }
    lines += table(authors, width)
    lines += table(tables, width)
    if !overview.pins.isEmpty {
      var table = TextTable([.init("pin", shrinksTo: 24), .init("keeps all after", .right)])
      for pin in overview.pins { table.append([pin.name, Humane.count(pin.seq)]) }
      lines += [""] + table.lines(width: width)
    }
    if !overview.deadLetters.isEmpty { lines += [""] + overview.deadLetters.map(line) }
    return lines
  }

  /// One that was given up on, whole: its reason is what is looked for. What can be done about it follows.
  private func line(_ letter: HistoryDeadLetter) -> String {
    let (author, seq, reason) = (printable(letter.author), Humane.count(letter.seq), printable(letter.reason))
    let time = HistoryWords.time(letter.date)
    let what =
      letter.attempts == 0
      ? "a hook of \(author) rejected transaction \(seq) at \(time): \(reason)"
      : "\(author) gave up on transaction \(seq) after \(Humane.count(letter.attempts, "attempt")) at \(time): \(reason)"
    if letter.seq <= overview.purgedThrough { return what + "; it is purged and cannot be replayed" }
    if overview.authors.first(where: { $0.name == letter.author })?.retired != nil {
      return what + "; \(author) is retired and reads no more"
    }
    return what + "; --replay \(letter.seq) tries it again"
  }

  private func table(_ table: TextTable?, _ width: Int) -> [String] {
    table.map { [""] + $0.lines(width: width) } ?? []
  }

  private var authors: TextTable? {
    if overview.authors.isEmpty { return nil }
    var table = TextTable([
      .init("author", shrinksTo: 24), .init("role"), .init("cursor", .right), .init("behind", .right),
      .init("changes", .right), .init("last seen"), .init("retired"),
    ])
    for author in overview.authors {
      table.append([
        author.name, HistoryWords.role(author.role), author.cursor.map { Humane.count($0) } ?? "-",
        author.cursor == nil ? "-" : Humane.count(author.lag),
        author.cursor == nil ? "-" : Humane.count(author.lagChanges),
        HistoryWords.time(author.lastSeen), author.retired.map(HistoryWords.time) ?? "",
      ])
    }
    return table
  }

  private var tables: TextTable? {
    if overview.tables.isEmpty { return nil }
    var table = TextTable([
      .init("entity", shrinksTo: 16), .init("table", shrinksTo: 16), .init("key", shrinksTo: 12),
      .init("columns told", shrinksTo: 16), .init("tombstone", shrinksTo: 16), .init("recorded"),
    ])
    for one in overview.tables {
      table.append([
        one.table.entity, one.table.table, one.table.key.joined(separator: ", "),
        one.table.columns.joined(separator: ", "), one.table.tombstone.joined(separator: ", "),
        one.isRecording ? "yes" : "no more",
      ])
    }
    return table
  }

  func write(to writer: inout JSONWriter) {
    writer.field("id", overview.store)
    writer.field("epoch", overview.epoch)
    writer.field("head", overview.head)
    writer.field("purgedThrough", overview.purgedThrough)
    writer.field("transactions", overview.transactions)
    writer.field("changes", overview.changes)
    writer.field("bytes", overview.bytes)
    writer.key("authors")
    writer.beginArray()
    for author in overview.authors {
      writer.beginObject()
      writer.field("name", author.name)
      writer.field("role", HistoryWords.role(author.role))
      if let cursor = author.cursor {
        writer.field("cursor", cursor)
        writer.field("lag", author.lag)
        writer.field("lagChanges", author.lagChanges)
      }
      writer.field("registered", HistoryWords.milliseconds(author.registered))
      writer.field("lastSeen", HistoryWords.milliseconds(author.lastSeen))
      if let retired = author.retired { writer.field("retired", HistoryWords.milliseconds(retired)) }
      writer.endObject()
    }
    writer.endArray()
    writer.key("tables")
    writer.beginArray()
    for one in overview.tables {
      writer.beginObject()
      writer.field("entity", one.table.entity)
      writer.field("table", one.table.table)
      for (name, columns) in [
        ("key", one.table.key), ("columns", one.table.columns), ("tombstone", one.table.tombstone),
      ] {
        writer.key(name)
        writer.beginArray()
        for column in columns { writer.string(column) }
        writer.endArray()
      }
      writer.field("isRecording", one.isRecording)
      writer.endObject()
    }
    writer.endArray()
    writer.key("pins")
    writer.beginArray()
    for pin in overview.pins {
      writer.beginObject()
      writer.field("name", pin.name)
      writer.field("seq", pin.seq)
      writer.endObject()
    }
    writer.endArray()
    writer.key("deadLetters")
    writer.beginArray()
    for letter in overview.deadLetters {
      writer.beginObject()
      writer.field("author", letter.author)
      writer.field("seq", letter.seq)
      writer.field("attempts", letter.attempts)
      writer.field("reason", letter.reason)
      writer.field("time", HistoryWords.milliseconds(letter.date))
      writer.endObject()
    }
    writer.endArray()
    writer.key("gaps")
    writer.beginArray()
    for gap in overview.gaps {
      writer.beginObject()
      writer.field("entity", gap.entity)
      writer.field("table", gap.table)
      writer.field("seq", gap.seq)
      writer.field("time", HistoryWords.milliseconds(gap.date))
      writer.endObject()
    }
    writer.endArray()
    CleaningSection(cleaning: overview.cleaning, overview: overview, isDryRun: true).write(to: &writer)
  }
}
