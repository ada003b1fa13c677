import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension History {
  /// Registers an author, or confirms one that is registered. A reader that is new begins where `start` says.
  ///
  /// - Returns: its position; nil for one that only writes.
  /// - Throws: ``HistoryError`` of kind `roleConflict`, `retired` (see ``rebuild(_:as:_:)``), `expired` where `start` is before what is
  ///   purged or beyond the head, or `store`.
  @discardableResult
  public func register(
    _ name: String, as role: HistoryRole = .consumer, start: HistoryStart = .now
  ) async throws(HistoryError) -> Int64? {
    // Who is registered already waits for nobody who writes.
    let known = try await read { (context) throws(StoreError) in try context.position(of: name) }
    if let known, known.role == role.rawValue, !known.isRetired, (known.cursor != nil) == role.reads {
      return known.cursor
    }
    let result = try await commit { (recording) throws(StoreError) -> Result<Int64?, HistoryError> in
      let connection = recording.connection
      let known = try connection.prepare("SELECT role, cursor, retired_at FROM history_author WHERE name = ?1")
      known.bind(name, at: 1)
      if try known.step() {
        defer { known.reset() }
        let (found, isNew) = (known.int64(0), known.type(1) == .null)
        if known.type(2) != .null {
          return .failure(HistoryError(.retired, "\(name) was retired; rebuild its rows to take it up again"))
        }
        if found == role.rawValue, !(role.reads && isNew) { return .success(isNew ? nil : known.int64(1)) }
        // One that has written before it registered as a reader.
        guard found == HistoryRole.writeOnly.rawValue, role.reads else {
          return .failure(
            HistoryError(.roleConflict, "\(name) is registered in another role; retire it first, or use another name"))
        }
      }
      let head = try connection.prepare("SELECT \(RecordingTables.head)").firstInt64() ?? 0
      let purged =
        try connection.prepare(
          "SELECT max(purged_through, coalesce((SELECT max(seq) FROM history_gap), 0)) FROM history_store"
        ).firstInt64() ?? 0
      var cursor: Int64?
      if role.reads {
        switch start {
        case .now: cursor = head
        case .after(let seq):
          guard (purged...max(purged, head)).contains(seq) else {
            return .failure(
              HistoryError(
                .expired,
                "transaction \(seq) is not between \(purged), up to which the history is purged or incomplete, and \(head)"
              )
            )
          }
          cursor = seq
        }
      }
      try Self.enter(name, role, cursor, on: connection)
      return .success(cursor)
    }
    return try result.get()
  }

  private static func enter(
    _ name: String, _ role: HistoryRole, _ cursor: Int64?, on connection: Connection
  ) throws(StoreError) {
    let enter = try connection.prepare(
      """
      INSERT INTO history_author (name, role, cursor, cursor_nonce, registered, last_seen)
      VALUES (?1, ?2, ?3, \(Self.nonceAtThree), \(RecordingTables.now), \(RecordingTables.now))
      ON CONFLICT (name) DO UPDATE SET role = ?2, cursor = ?3, cursor_nonce = excluded.cursor_nonce,
        last_seen = excluded.last_seen, retired_at = NULL, tries = 0, tried_by = 0, careful = 0
      """)
    enter.bind(name, at: 1)
    enter.bind(role.rawValue, at: 2)
    if let cursor { enter.bind(cursor, at: 3) } else { enter.bindNull(at: 3) }
    try enter.run()
  }

  /// The random number of the transaction at parameter 3.
  private static let nonceAtThree = """
    coalesce(\(RecordingTables.nonce(of: "?3")),
      (SELECT purged_nonce FROM history_store WHERE purged_through = ?3))
    """

  /// Ends an author: it holds nothing back any more. If it comes back, it has to rebuild.
  ///
  /// - Throws: ``HistoryError`` of kind `unknownAuthor` or `store`.
  public func retire(_ name: String) async throws(HistoryError) {
    let found = try await commit { (recording) throws(StoreError) in
      let retire = try recording.connection.prepare(
        "UPDATE history_author SET retired_at = coalesce(retired_at, \(RecordingTables.now)) WHERE name = ?1")
      retire.bind(name, at: 1)
      try retire.run()
      return recording.connection.changedRows
    }
    if found == 0 { throw HistoryError(.unknownAuthor, "no author \(name) is registered") }
  }

  /// Begins a reader anew from the rows themselves: runs `body`, which replaces what the reader has made of them, and sets
  /// its position to the head, in one transaction. For one that is new, expired or retired.
  ///
  /// - Parameters:
  ///   - role: what it does; nil for what it is registered for, and a consumer where that is new.
  ///   - body: must replace, not add: rows whose deletion was purged are known to nobody any more.
  /// - Returns: the new position.
  /// - Throws: ``HistoryError`` or what `body` throws; then nothing has changed.
  @discardableResult
  public func rebuild(
    _ name: String, as role: HistoryRole? = nil, _ body: @escaping @Sendable (Connection) throws -> Void
  ) async throws -> HistoryToken {
    let thrown = ThrownError()
    do throws(StoreError) {
      let head = try await writer.commit(weight: 256) { (recording) throws(StoreError) -> Int64 in
        let head = try recording.connection.prepare("SELECT \(RecordingTables.head)").firstInt64() ?? 0
        // What the rebuilding writes is its own, and need not be read by it.
        let (_, seq) = try recording.record(author: name, context: "rebuild", cause: nil) {
          (connection) throws(StoreError) in try thrown.keep { try body(connection) }
        }
        // A cursor that cannot be right may be beyond the head: it is set, not moved.
        let clear = try recording.connection.prepare("UPDATE history_author SET cursor = NULL WHERE name = ?1")
        clear.bind(name, at: 1)
        try clear.run()
        let registered = try recording.connection.prepare("SELECT role FROM history_author WHERE name = ?1")
        registered.bind(name, at: 1)
        let known = try registered.firstInt64().flatMap(HistoryRole.init).flatMap { $0.reads ? $0 : nil }
        try Self.enter(name, role ?? known ?? .consumer, seq ?? head, on: recording.connection)
        return seq ?? head
      }
      return try await reader.perform { (context) throws(StoreError) in try context.token(at: head) }
    } catch {
      throw thrown.error ?? HistoryError(error)
    }
  }

  /// The position of a reader.
  ///
  /// - Throws: ``HistoryError`` of kind `unknownAuthor` (also for one that only writes), `retired`, `expired` or `store`.
  public func cursor(of name: String) async throws(HistoryError) -> HistoryToken {
    let result = try await read { (context) throws(StoreError) -> Result<HistoryToken, HistoryError> in
      try context.connection.snapshot { () throws(StoreError) in
        guard let position = try context.position(of: name) else {
          return .failure(HistoryError(.unknownAuthor, "no author \(name) is registered"))
        }
        if position.isRetired {
          return .failure(HistoryError(.retired, "\(name) was retired; rebuild its rows to take it up again"))
        }
        guard let cursor = position.cursor else {
          return .failure(HistoryError(.unknownAuthor, "\(name) only writes: it has no position"))
        }
        let state = try context.state()
        let head = try context.head()
        if cursor < state.purgedThrough {
          return .failure(
            HistoryError(.expired, "what follows \(cursor) was purged up to \(state.purgedThrough); rebuild"))
        }
        // A position that this file has never had, or that has another transaction now.
        guard cursor <= head, let nonce = try context.nonce(of: cursor, state), cursor == 0 || position.nonce == nonce
        else {
          return .failure(
            HistoryError(.expired, "the position \(cursor) of \(name) is not of this file's past; rebuild"))
        }
        let token = HistoryToken(store: state.uuid, epoch: state.epoch, seq: cursor, nonce: nonce)
        if let fault = try context.status(of: token).fault { return .failure(fault) }
        return .success(token)
      }
    }
    return try result.get()
  }

  /// All authors, in the order of their names, with how far each is behind.
  public func authors() async throws(HistoryError) -> [HistoryAuthor] {
    try await read { (context) throws(StoreError) in try context.authors() }
  }

  /// The transactions that authors gave up on, by author and number.
  public func deadLetters() async throws(HistoryError) -> [HistoryDeadLetter] {
    try await read { (context) throws(StoreError) in try context.deadLetters() }
  }

  /// Takes dead letters away, once they are dealt with.
  public func discardDeadLetters(of author: String, seqs: Set<Int64>? = nil) async throws(HistoryError) {
    try await commit { (recording) throws(StoreError) in
      let discard = try recording.connection.prepare(
        """
        DELETE FROM history_dead_letter WHERE author = (SELECT id FROM history_author WHERE name = ?1)
        AND (?2 IS NULL OR seq = ?2)
        """)
      discard.bind(author, at: 1)
      for seq in seqs.map({ $0.map(Optional.some) }) ?? [nil] {
        if let seq { discard.bind(seq, at: 2) } else { discard.bindNull(at: 2) }
        try discard.run()
      }
      try recording.connection.execute(
        """
        DELETE FROM history_replay
        WHERE NOT EXISTS (SELECT 1 FROM history_dead_letter d WHERE d.author = history_replay.author AND d.seq = history_replay.seq)
        """)
    }
  }

  /// Declares that the file is a restored copy, or that its newest commits are lost: tokens kept elsewhere are void.
  public func declareRestored() async throws(HistoryError) {
    try await commit { (recording) throws(StoreError) in
      try recording.connection.execute("UPDATE history_store SET epoch = epoch + 1")
    }
  }

  /// Ends the recording and takes its tables away.
  ///
  /// - Throws: ``HistoryError`` of kind `liveCursor` while a reader is registered that was not retired, or `store`.
  public func stopRecording() async throws(HistoryError) {
    let fault = try await commit { (recording) throws(StoreError) -> HistoryError? in
      let connection = recording.connection
      let live = try connection.prepare(
        "SELECT group_concat(name, ', ') FROM history_author WHERE cursor IS NOT NULL AND retired_at IS NULL")
      if let names = try live.firstString(), !names.isEmpty {
        return HistoryError(.liveCursor, "\(names) would miss what is written from now on; retire them first")
      }
      let entities = try connection.prepare("SELECT id FROM history_entity")
      var numbers: [Int64] = []
      while try entities.step() { numbers.append(entities.int64(0)) }
      for number in numbers {
        for drop in RecordingTriggers.drop(number) { try connection.execute(drop) }
      }
      try connection.execute(RecordingTables.drop)
      return nil
    }
    if let fault { throw fault }
  }

  /// Runs `job` in a write transaction that is not recorded.
  func commit<Value: Sendable>(
    _ job: @escaping @Sendable (inout RecordingContext) throws(StoreError) -> Value
  ) async throws(HistoryError) -> Value {
    do throws(StoreError) {
      return try await writer.commit(job)
    } catch {
      throw HistoryError(error)
    }
  }
}

extension Date {
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

  /// Milliseconds since 1970; a date beyond what that can hold is its end.
  var milliseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) ?? (timeIntervalSince1970 > 0 ? .max : .min)
  }
}
