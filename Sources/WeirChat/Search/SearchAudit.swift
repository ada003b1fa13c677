import WeirStore

/// Compares the index with the rows, and the entries of FTS5 with the tokens they were made of. An empty answer means that
/// all of it agrees as far as the watermark says that it must.
///
/// Memory: the numbers of the rows that have changed since. The entries are compared by a sum of hashes.
struct SearchAudit {
  private let reader: ProjectionReader
  private let limit: Int

  /// One line for each thing that does not agree; none for a store without an index.
  static func findings(_ reader: ProjectionReader, limit: Int = 10) throws(StoreError) -> [String] {
    guard try SearchTables.exist(reader.connection) else { return [] }
    let audit = SearchAudit(reader: reader, limit: limit)
    return try audit.rows() + audit.entries()
  }

  private func rows() throws(StoreError) -> [String] {
    let connection = reader.connection
    let tail = try SearchTail(connection, hasIndex: true, limit: .max)
    let changed = Set(tail.changed)
    let revision = try connection.prepare("SELECT revision FROM meta").firstInt64() ?? 0
    let isBehind = try SearchState(connection).revision < revision
    var findings: [String] = []
    let rows = try connection.prepare(
      """
      SELECT m.id, \(MessageRow.columnNames.map { "m.\($0)" }.joined(separator: ", ")), d.id, d.place, d.text
      FROM messages m LEFT JOIN search_docs d ON d.message = m.id WHERE m.id <= ?1 ORDER BY m.id
      """)
    rows.bind(tail.from, at: 1)
    while findings.count < limit, try rows.step() {
      let id = rows.int64(0)
      if changed.contains(id) { continue }
      let row = try MessageRow(rows, 1)
      let marks = try reader.conversationTable.load(row.conversation).marks
      let isCleared = SearchClears(seq: marks.clearedSeq, time: marks.clearedTime).cover(row)
      // The entries of what a clear has just covered are still on their way out.
      if isCleared, isBehind { continue }
      let found =
        isCleared
        ? nil
        : try SearchableRow(row, account: reader.account, decoder: reader.decoder, strings: reader.strings)
      let first = MessageRow.columnCount + 1
      let stored = rows.type(first) == .null ? nil : SearchDocument(rows, first)
      if found.flatMap({ SearchDocument(id, row, $0) }) != stored {
        findings.append("indexed text of a message: \(row.clientID.string)")
      }
    }
    let lost = try connection.prepare(
      "SELECT count(*) FROM search_docs WHERE message NOT IN (SELECT id FROM messages)")
    if try lost.firstInt64() != 0 { findings.append("indexed texts without a message") }
    return findings
  }

  private func entries() throws(StoreError) -> [String] {
    let connection = reader.connection
    var texts = EntrySum()
    let documents = try connection.prepare("SELECT id, place, text FROM search_docs")
    while try documents.step() {
      for column in 0..<2 as Range<Int32> {
        let tokens = documents.bytes(column + 1).split(separator: UInt8(ascii: " "))
        for (place, token) in tokens.enumerated() { texts.add(documents.int64(0), column, place, token) }
      }
    }
    // A view of the entries, made for this connection only and in memory.
    try connection.execute("CREATE VIRTUAL TABLE temp.search_entries USING fts5vocab(main, search_index, instance)")
    var index = EntrySum()
    do {
      let entries = try connection.prepare("SELECT doc, col, offset, term FROM temp.search_entries")
      while try entries.step() {
        index.add(entries.int64(0), entries.string(1) == "place" ? 0 : 1, Int(entries.int64(2)), entries.bytes(3)[...])
      }
    }
    try connection.execute("DROP TABLE temp.search_entries")
    return index == texts ? [] : ["entries of the search index"]
  }

  /// A set of entries, in whatever order they come.
  private struct EntrySum: Equatable {
    private var count = 0
    private var sum: UInt64 = 0

    mutating func add(_ document: Int64, _ column: Int32, _ place: Int, _ token: ArraySlice<UInt8>) {
      var hash = FixedHash()
      hash.add(document)
      hash.add(Int64(column))
      hash.add(Int64(place))
      hash.add(Array(token))
      count += 1
      sum &+= hash.value().high
    }
  }
}
