import WeirStore

extension History {
  /// Hands a dead letter to its author once more, with its next pass: at once where the author reads by this object, otherwise with
  /// what is written next, or its next start. The letter goes in the transaction that merges it. A failing replay stays a letter:
  /// retryable errors are waited for, others have three attempts; one that ends the process is not repeated. Later
  /// transactions are merged already, so hooks and targets must take a replay out of order.
  ///
  /// - Parameters:
  ///   - seq: the transaction.
  ///   - author: whose letter; nil for everybody's.
  /// - Returns: the letters.
  /// - Throws: ``HistoryError`` of kind `unknownDeadLetter`, `purged`, `retired` where its author
  ///   was, `notRecorded` or `store`; then nothing is asked of anybody.
  @discardableResult
  public func replayDeadLetter(
    _ seq: Int64, of author: String? = nil
  ) async throws(HistoryError) -> [HistoryDeadLetter] {
    let letters = try await read { (context) throws(StoreError) in
      try context.deadLetters().filter { $0.seq == seq && (author == nil || $0.author == author) }
    }
    guard !letters.isEmpty else {
      throw HistoryError(.unknownDeadLetter, "\(author ?? "nobody") has not given up on transaction \(seq)")
    }
    let fault = try await commit { (recording) throws(StoreError) -> HistoryError? in
      let connection = recording.connection
      let purged = try connection.prepare("SELECT purged_through FROM history_store").firstInt64() ?? 0
      guard seq > purged else {
        return HistoryError(.purged, "transaction \(seq) was purged with all up to \(purged); discard its dead letter")
      }
      for letter in letters {
        let retired = try connection.prepare("SELECT 1 FROM history_author WHERE name = ?1 AND retired_at IS NOT NULL")
        retired.bind(letter.author, at: 1)
        if try retired.firstInt64() != nil {
          return HistoryError(.retired, "\(letter.author) was retired and reads no more; rebuild its rows instead")
        }
      }
      for letter in letters { try recording.askReplay(of: letter.author, seq) }
      return nil
    }
    if let fault { throw fault }
    // Those who wait look again.
    head.recorded(upTo: head.head)
    return letters
  }

  /// Takes one request, so that nobody else has it, nor this process again if the replay ends it.
  func claimReplay(of author: String) async throws(HistoryError) -> HistoryPage? {
    let asked = try await read { (context) throws(StoreError) in
      let ask = try context.connection.cached(
        "SELECT seq FROM history_replay WHERE author = (SELECT id FROM history_author WHERE name = ?1) ORDER BY seq LIMIT 1"
      )
      ask.bind(author, at: 1)
      return try ask.firstInt64()
    }
    guard let seq = asked else { return nil }
    let isMine = try await commit { (recording) throws(StoreError) in
      let claim = try recording.connection.cached(
        "DELETE FROM history_replay WHERE author = (SELECT id FROM history_author WHERE name = ?1) AND seq = ?2")
      claim.bind(author, at: 1)
      claim.bind(seq, at: 2)
      try claim.run()
      return recording.connection.changedRows == 1
    }
    guard isMine else { return nil }
    return try await read { (context) throws(StoreError) -> HistoryPage? in
      try context.connection.snapshot { () throws(StoreError) in
        guard try context.state().purgedThrough < seq else { return nil }
        let found = try context.page(after: seq - 1, filter: .everybody, transactions: 1, changes: .max)
        guard found.transactions.first?.seq == seq else { return nil }
        return HistoryPage(
          transactions: found.transactions, start: seq - 1, end: try context.token(at: seq), isFull: true)
      }
    }
  }

  /// A replay that was not made, since the reader was stopped, is asked for again.
  func returnReplay(of author: String, _ seq: Int64) async throws(HistoryError) {
    try await commit { (recording) throws(StoreError) in try recording.askReplay(of: author, seq) }
  }

  /// A replay failed: the letter stays.
  func failReplay(of author: String, _ seq: Int64, attempts: Int, reason: String) async throws(HistoryError) {
    try await commit { (recording) throws(StoreError) in
      let note = try recording.connection.cached(
        """
        UPDATE history_dead_letter SET attempts = attempts + ?3, reason = ?4
        WHERE author = (SELECT id FROM history_author WHERE name = ?1) AND seq = ?2
        """)
      note.bind(author, at: 1)
      note.bind(seq, at: 2)
      note.bind(Int64(attempts), at: 3)
      note.bind(String(reason.prefix(2_000)), at: 4)
      try note.run()
    }
  }
}

extension RecordingContext {
  /// Enters a request for a letter that is still there.
  func askReplay(of author: String, _ seq: Int64) throws(StoreError) {
    let ask = try connection.cached(
      """
      INSERT INTO history_replay SELECT author, seq FROM history_dead_letter
      WHERE author = (SELECT id FROM history_author WHERE name = ?1) AND seq = ?2 ON CONFLICT DO NOTHING
      """)
    ask.bind(author, at: 1)
    ask.bind(seq, at: 2)
    try ask.run()
  }

  /// Takes away the letter that is merged now.
  ///
  /// - Returns: false where somebody has discarded it, or the author was retired.
  func takeLetter(of author: String, _ seq: Int64) throws(StoreError) -> Bool {
    let take = try connection.cached(
      """
      DELETE FROM history_dead_letter
      WHERE author = (SELECT id FROM history_author WHERE name = ?1 AND retired_at IS NULL) AND seq = ?2
      """)
    take.bind(author, at: 1)
    take.bind(seq, at: 2)
    try take.run()
    return connection.changedRows == 1
  }
}
