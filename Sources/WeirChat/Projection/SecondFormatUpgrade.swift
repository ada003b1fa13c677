import WeirStore

/// What a file of the first format lacks and SQL alone cannot fill in: the seqs that are known, the order of the list,
/// what attached information says, and the number of own messages without a place.
enum SecondFormatUpgrade {
  static let run: @Sendable (Connection) throws(StoreError) -> Void = { (connection) throws(StoreError) in
    try connection.execute("UPDATE conversations SET sort_time = last_time")
    let account = try connection.prepare("SELECT account FROM meta").firstString()
    guard let account else { return }
    let strings = try InternedStrings(connection, writes: true)
    let me = try strings.number(account)
    try completeRows(connection, strings, account)
    let conversations = try ConversationTable(connection, writes: true)
    let counts = try MessageCounts(connection, me: me)
    let ids = try connection.prepare("SELECT id FROM conversations")
    var all: [Int64] = []
    while try ids.step() { all.append(ids.int64(0)) }
    let seqs = try connection.prepare(
      """
      SELECT seq FROM messages WHERE conversation = ?1 AND seq > 0
      UNION SELECT seq FROM seq_aliases WHERE conversation = ?1 ORDER BY 1
      """)
    let pending = try connection.prepare(
      """
      SELECT count(*) FROM messages WHERE conversation = ?1 AND evidence = 0 AND send_time = 0 AND sender = ?2
      AND marks & \(RowStanding.outsideSummary.rawValue) = 0
      """)
    for id in all {
      let state = try conversations.load(id)
      seqs.bind(id, at: 1)
      while try seqs.step() { state.marks.known.insert(seqs.int64(0)) }
      pending.bind(id, at: 1)
      pending.bind(me, at: 2)
      state.summary.pending = try pending.firstInt64() ?? 0
      if state.summary.pending > 0 { try counts.findLast(state) }
      state.summary.unfetched = state.marks.unfetched.count
      try conversations.save(state)
    }
    try connection.execute(
      "UPDATE meta SET unfetched_total = (SELECT coalesce(sum(unfetched), 0) FROM conversations WHERE message_count > 0)"
    )
  }

  /// Joins to each row what the second format reads from copies: the attached information, and that a place in the
  /// conversation means that the server has the message.
  private static func completeRows(
    _ connection: Connection, _ strings: InternedStrings, _ account: String
  ) throws(StoreError) {
    let select = try connection.prepare(
      "SELECT id FROM messages WHERE attached <> '' OR evidence = 0 AND (seq > 0 OR server_id <> '')")
    var ids: [Int64] = []
    while try select.step() { ids.append(select.int64(0)) }
    let messages = try LegacyMessageTable(connection)
    for id in ids {
      guard let row = try messages.load(id) else { continue }
      var state = try row.state(strings)
      let attached = AttachedInfo(json: state.envelope.attachedInfo)
      if attached.isPrivate { state.marks.insert(.isPrivate) }
      state = state.joined(with: attached.amendments)
      if !state.envelope.placement.isEmpty { state.evidence = max(state.evidence, .sent) }
      var derived = row.marks.intersection(.derived)
      let isMine = state.envelope.senderID.utf8Equals(account)
      if !isMine, state.amendments.readers[ByteKey(text: account)] != nil { derived.insert(.readByReceipt) }
      let upgraded = try MessageRow(
        state, conversation: row.conversation, clientID: row.clientID, sender: row.sender, derived: derived,
        revision: row.revision, strings: strings)
      try messages.amend(id, with: upgraded)
    }
  }
}
