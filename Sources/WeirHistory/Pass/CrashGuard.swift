import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What was noted of a position before what follows it was handled: runs that ended with their process note no end.
///
/// A transaction that a hook or an observer traps on would end the process at every launch. After three such ends in a row at
/// one position a reader goes on one transaction at a time; one that ends the process three times by itself goes to the dead
/// letters.
///
/// An end in order is none of those: a reader that is stopped and a history that is closed take the note away, also while a hook
/// hears nothing of it. A signal that nobody handles leaves it, since it cannot be told from a trap.
struct CrashGuard: Sendable {
  /// Ends that are borne before anything is done about them.
  static let patience: Int64 = 3

  /// Runs that have begun here, this one included.
  let tries: Int64
  /// Up to which transaction one is handled at a time.
  let carefulTo: Int64

  var hasLostPatience: Bool { tries > Self.patience }
}

extension History {
  /// Notes that what follows a position is about to be handled.
  ///
  /// - Returns: nil where the position was moved by somebody else.
  func beginTry(of author: String, at cursor: Int64) async throws(HistoryError) -> CrashGuard? {
    underWay.withLock { _ = $0.insert(author) }
    return try await commit { (recording) throws(StoreError) in
      let before = try recording.connection.cached("SELECT tried_by FROM history_author WHERE name = ?1")
      before.bind(author, at: 1)
      let process = Int32(truncatingIfNeeded: try before.firstInt64() ?? 0)
      // Only a process that is gone has ended: another one may be at work here, and so may another run of this one.
      let lives = process == getpid() || (process > 0 && (kill(process, 0) == 0 || errno == EPERM))
      let note = try recording.connection.cached(
        """
        UPDATE history_author SET tries = tries + ?3, tried_by = ?4 WHERE name = ?1 AND cursor = ?2
        RETURNING tries, careful
        """)
      note.bind(author, at: 1)
      note.bind(cursor, at: 2)
      note.bind(lives ? 0 : 1, at: 3)
      note.bind(Int64(getpid()), at: 4)
      defer { note.reset() }
      guard try note.step() else { return nil }
      let found = CrashGuard(tries: note.int64(0), carefulTo: note.int64(1))
      while try note.step() {}
      return found
    }
  }

  /// From now on one transaction at a time, up to `end`.
  func beCareful(_ author: String, to end: Int64) async throws(HistoryError) {
    try await setTries(of: author, to: 1, carefulTo: end)
  }

  /// What was begun has ended in order, though nothing was merged.
  func endTry(of author: String) async throws(HistoryError) { try await setTries(of: author, to: 0, carefulTo: nil) }

  /// The history is closed in order: what this process has begun by it has not ended the process.
  func endTries() async {
    let authors = underWay.withLock { $0 }
    if authors.isEmpty { return }
    try? await commit { (recording) throws(StoreError) in
      let end = try recording.connection.cached(
        "UPDATE history_author SET tries = 0, tried_by = 0 WHERE name = ?1 AND tried_by = ?2 AND tries > 0")
      for author in authors {
        end.bind(author, at: 1)
        end.bind(Int64(getpid()), at: 2)
        try end.run()
      }
    }
  }

  private func setTries(of author: String, to tries: Int64, carefulTo: Int64?) async throws(HistoryError) {
    try await commit { (recording) throws(StoreError) in
      let set = try recording.connection.cached(
        """
        UPDATE history_author SET tries = ?2, tried_by = iif(?2 = 0, 0, tried_by), careful = coalesce(?3, careful)
        WHERE name = ?1
        """)
      set.bind(author, at: 1)
      set.bind(tries, at: 2)
      if let carefulTo { set.bind(carefulTo, at: 3) } else { set.bindNull(at: 3) }
      try set.run()
    }
  }
}

extension HistoryPage {
  /// The page up to its first transaction.
  var first: HistoryPage {
    guard let transaction = transactions.first, transactions.count > 1 || end.seq > transaction.seq else { return self }
    let token = HistoryToken(store: end.store, epoch: end.epoch, seq: transaction.seq, nonce: transaction.nonce)
    return HistoryPage(transactions: [transaction], start: start, end: token, isFull: true)
  }
}
