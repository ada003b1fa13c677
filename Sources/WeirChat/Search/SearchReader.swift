import WeirStore

/// Answers a search inside one snapshot: what the index holds, and the rows it does not hold yet.
///
/// Every hit of the index is checked against its row as it is now, so an entry that has fallen behind can show nothing;
/// what such an entry might miss is among the rows that are looked at one by one.
///
/// Memory: the page, the numbers of the rows looked at (8 bytes each, up to the query's limit), and what FTS5 needs for a
/// beginning of a word (a few bytes for each message that has such a word).
struct SearchReader {
  private static let greatestPage = 1_000

  private let reader: ProjectionReader
  private let query: SearchQuery
  private let terms: SearchTerms
  private let isCancelled: @Sendable () -> Bool
  private var conversation: Int64?
  private var sender: Int64?
  private var conversations: [Int64: (key: String, clears: SearchClears)] = [:]
  private var hits: [(key: SearchKey, hit: SearchHit)] = []
  private let limit: Int

  /// - Throws: `StoreError` of kind `invalidInput` for a text that is too long.
  init(
    _ reader: ProjectionReader, _ query: SearchQuery, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(StoreError) {
    (self.reader, self.query, self.isCancelled) = (reader, query, isCancelled)
    terms = try SearchTerms(query.text)
    limit = min(query.limit, Self.greatestPage)
  }

  /// The answer. Call it once.
  mutating func page() throws(StoreError) -> SearchPage {
    guard limit > 0, !terms.isEmpty, try resolveFilters() else { return SearchPage() }
    let hasIndex = try SearchTables.exist(reader.connection)
    let tail = try SearchTail(reader.connection, hasIndex: hasIndex, limit: Int64(max(query.tailLimit, 0)))
    try scan(tail)
    if hasIndex { try lookUp(besides: tail) }
    hits.sort { $1.key < $0.key }
    var page = SearchPage()
    page.unsearched = tail.unsearched
    page.hits = hits.prefix(limit).map(\.hit)
    if hits.count > limit {
      page.next = SearchCursor(key: hits[limit - 1].key.packed, row: hits[limit - 1].key.row)
    }
    return page
  }

  /// False when a filter names what the store does not know.
  private mutating func resolveFilters() throws(StoreError) -> Bool {
    if let id = query.conversationID {
      conversation = try reader.conversationTable.existing(id)
      if conversation == nil { return false }
    }
    if let id = query.senderID {
      sender = try reader.strings.existing(id)
      if sender == nil { return false }
    }
    return query.contentTypes?.isEmpty != true
  }

  // MARK: Rows

  private mutating func scan(_ tail: SearchTail) throws(StoreError) {
    let rows = try reader.connection.prepare(
      """
      SELECT id, \(MessageRow.columns) FROM messages WHERE id > ?1 AND marks & \(MessageMarks.unsearchable.rawValue) = 0
      AND (?2 < 0 OR conversation = ?2) AND (?3 < 0 OR sender = ?3)
      """)
    rows.bind(tail.from, at: 1)
    rows.bind(conversation ?? -1, at: 2)
    rows.bind(sender ?? -1, at: 3)
    while try rows.step() {
      do throws(StoreError) {
        try look(at: rows.int64(0), try MessageRow(rows, 1))
      } catch  where error.sqliteCode == nil && error.kind == .corrupt {
        // Not found, as it would not be indexed.
        continue
      }
    }
    for id in tail.changed {
      do throws(StoreError) {
        if let (_, row) = try reader.messageTable.load(id) { try look(at: id, row) }
      } catch  where error.sqliteCode == nil && error.kind == .corrupt {
        continue
      }
    }
  }

  private mutating func look(at id: Int64, _ row: MessageRow) throws(StoreError) {
    guard let hit = try match(id, row) else { return }
    hits.append(hit)
    guard hits.count > 4 * Self.greatestPage else { return }
    hits.sort { $1.key < $0.key }
    hits.removeSubrange((limit + 1)...)
  }

  // MARK: The index

  private mutating func lookUp(besides tail: SearchTail) throws(StoreError) {
    let entries = try reader.connection.prepare(
      """
      SELECT f.rowid, d.message FROM search_index f CROSS JOIN search_docs d ON d.id = f.rowid
      WHERE f.search_index MATCH ?1 AND f.rowid >= ?2 AND f.rowid <= ?3 ORDER BY f.rowid DESC
      """)
    var expression = "{text} : (\(terms.expression))"
    if let sender { expression = "{place} : \"s\(sender)\" AND " + expression }
    if let conversation { expression = "{place} : \"c\(conversation)\" AND " + expression }
    entries.bind(expression, at: 1)
    entries.bind(query.times.map { SearchKey.first(at: $0.lowerBound) } ?? .min, at: 2)
    entries.bind(min(query.times.map { SearchKey.last(at: $0.upperBound) } ?? .max, query.after?.key ?? .max), at: 3)
    defer { entries.reset() }
    let scanned = Set(tail.changed)
    var count = 0
    while count <= limit, try entries.step() {
      let (key, id) = (entries.int64(0), entries.int64(1))
      if id > tail.from || scanned.contains(id) { continue }
      do throws(StoreError) {
        guard let (_, row) = try reader.messageTable.load(id), let hit = try match(id, row), hit.key.packed == key
        else { continue }
        hits.append(hit)
        count += 1
      } catch  where error.sqliteCode == nil && error.kind == .corrupt {
        continue
      }
    }
  }

  // MARK: One row

  /// The hit a row is, if it is one.
  private mutating func match(_ id: Int64, _ row: MessageRow) throws(StoreError) -> (key: SearchKey, hit: SearchHit)? {
    if isCancelled() { throw StoreError(.cancelled, "the search was cancelled") }
    let key = SearchKey(time: row.searchTime, row: id)
    if let after = query.after, !(key < SearchKey(packed: after.key, row: after.row)) { return nil }
    if let conversation, row.conversation != conversation { return nil }
    if let sender, row.sender != sender { return nil }
    if let times = query.times, !times.contains(row.searchTime) { return nil }
    let place = try place(row.conversation)
    guard !place.clears.cover(row),
      let found = try SearchableRow(
        row, account: reader.account, decoder: reader.decoder, strings: reader.strings),
      query.contentTypes?.contains(found.contentType) ?? true,
      let places = terms.places(in: SearchTokens(found.texts))
    else { return nil }
    let hit = SearchHit(
      conversationID: place.key, clientMsgID: row.clientID.string, senderID: try reader.strings.text(row.sender),
      time: row.searchTime, contentType: found.contentType, snippet: SearchSnippet(of: found.texts, places: places))
    return (key, hit)
  }

  private mutating func place(_ conversation: Int64) throws(StoreError) -> (key: String, clears: SearchClears) {
    if let known = conversations[conversation] { return known }
    let state = try reader.conversationTable.load(conversation)
    let place = (state.key, SearchClears(seq: state.marks.clearedSeq, time: state.marks.clearedTime))
    conversations[conversation] = place
    return place
  }
}

/// The rows that a search looks at one by one.
struct SearchTail {
  /// Rows with greater numbers are among them.
  private(set) var from: Int64 = 0
  /// Rows up to `from` that have changed since they were indexed, or could not be.
  private(set) var changed: [Int64] = []
  /// How many rows are left out.
  private(set) var unsearched: Int64 = 0

  init(_ connection: Connection, hasIndex: Bool, limit: Int64) throws(StoreError) {
    let last = try connection.prepare("SELECT max(id) FROM messages").firstInt64() ?? 0
    var upTo: Int64 = 0
    if hasIndex {
      let state = try SearchState(connection)
      let from = try connection.prepare("SELECT history_from FROM meta").firstInt64() ?? 0
      // Without the log nobody knows what has changed: the indexer will look at all rows again.
      if state.revision >= from - 1 {
        upTo = state.upTo
        try addChanges(connection, state, limit)
      }
    }
    from = max(upTo, last > limit ? last - limit : 0)
    unsearched += from - upTo
  }

  private mutating func addChanges(
    _ connection: Connection, _ state: SearchState, _ limit: Int64
  ) throws(StoreError) {
    var seen = Set<Int64>()
    var left: Int64 = 0
    func add(_ row: Int64, _ changed: inout [Int64]) {
      guard row <= state.upTo, seen.insert(row).inserted else { return }
      if Int64(changed.count) < limit { changed.append(row) } else { left += 1 }
    }
    let log = try connection.prepare(
      "SELECT messages FROM history WHERE revision > ?1 AND conversation > 0 ORDER BY revision DESC")
    log.bind(state.revision, at: 1)
    while try log.step() {
      for row in RowNumbers.unpack(log.bytes(0)) { add(row, &changed) }
    }
    let unindexed = try connection.prepare("SELECT message FROM search_unindexed ORDER BY message DESC")
    while try unindexed.step() { add(unindexed.int64(0), &changed) }
    unsearched += left
  }

  /// How many rows the index is behind.
  static func count(_ connection: Connection) throws(StoreError) -> Int64 {
    let tail = try SearchTail(connection, hasIndex: true, limit: 0)
    return tail.unsearched - (try connection.prepare("SELECT count(*) FROM search_unindexed").firstInt64() ?? 0)
  }
}
