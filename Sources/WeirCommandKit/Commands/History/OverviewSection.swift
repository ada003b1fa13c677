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
    if !overview.deadLetters.isEmpty {
      var table = TextTable([
        .init("given up by", shrinksTo: 24), .init("transaction", .right), .init("tries", .right), .init("time"),
        .init("reason", shrinksTo: 24),
      ])
      for letter in overview.deadLetters {
        table.append([
          letter.author, Humane.count(letter.seq), "\(letter.attempts)", HistoryWords.time(letter.date), letter.reason,
        ])
      }
      lines += [""] + table.lines(width: width)
    }
    return lines
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
