import WeirStore

/// The held statements of the conversations table.
final class ConversationTable {
  private static let cacheLimit = 16_384
  private static let stateLimit = 4_096
  private static let columns = """
    key, session_type, message_count, unread, last_message, last_time, last_seq, revision, read_seq, cleared_seq, \
    cleared_time, hidden_seq, hidden_time, server_max, known, closed, unfetched, pending, pinned, receive_option, \
    draft_time, sort_time, id_targets, seq_targets, crc
    """

  private let connection: Connection
  private let find: Statement
  private let load: Statement
  /// Nil on a connection that only reads.
  private let insert: Statement?
  private let update: Statement?
  private let otherCommits: Statement
  private var ids: [ByteKey: Int64] = [:]
  /// What the latest transactions of this writer left, as long as no other connection has committed.
  private var states: [Int64: ConversationState] = [:]
  private var seenCommits: Int64 = 0

  init(_ connection: Connection, writes: Bool) throws(StoreError) {
    self.connection = connection
    find = try connection.prepare("SELECT id FROM conversations WHERE key = ?1")
    otherCommits = try connection.prepare("PRAGMA data_version")
    load = try connection.prepare("SELECT \(Self.columns) FROM conversations WHERE id = ?1")
    insert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO conversations
        (key, session_type, message_count, unread, last_message, last_time, last_seq, revision)
        VALUES (?1, ?2, 0, 0, NULL, 0, 0, 0)
        """) : nil
    update =
      writes
      ? try connection.prepare(
        """
        UPDATE conversations SET message_count = ?2, unread = ?3, last_message = ?4, last_time = ?5, last_seq = ?6,
        revision = ?7, read_seq = ?8, cleared_seq = ?9, cleared_time = ?10, hidden_seq = ?11, hidden_time = ?12,
        server_max = ?13, unfetched = ?14, pending = ?15, pinned = ?16, receive_option = ?17, draft_time = ?18,
        sort_time = ?19, id_targets = ?20, seq_targets = ?21, known = ?22, closed = ?23, crc = ?24 WHERE id = ?1
        """) : nil
  }

  /// To be called at the start of each write transaction: another connection's commit voids what is remembered.
  func begin() throws(StoreError) {
    let commits = try otherCommits.firstInt64() ?? 0
    if commits != seenCommits { states.removeAll(keepingCapacity: true) }
    seenCommits = commits
  }

  /// The number of a conversation, new if need be. A new one is listed only once it has a message.
  func number(_ key: String) throws(StoreError) -> Int64 {
    if let known = try existing(key) { return known }
    guard let insert else { throw StoreError(.readOnly, "a reader cannot add a conversation") }
    insert.bind(key, at: 1)
    insert.bind(Int64(SessionType(conversationID: key)?.rawValue ?? 0), at: 2)
    try insert.run()
    return remember(connection.lastInsertedRow, key)
  }

  /// The number of a conversation that is known already.
  func existing(_ key: String) throws(StoreError) -> Int64? {
    if let known = ids[ByteKey(text: key)] { return known }
    find.bind(key, at: 1)
    return try find.firstInt64().map { remember($0, key) }
  }

  /// The state of a conversation at the start of the transaction.
  func load(_ id: Int64) throws(StoreError) -> ConversationState {
    if let state = states[id] { return state }
    load.bind(id, at: 1)
    guard try load.step() else { throw StoreError(.corrupt, "conversation \(id) is missing") }
    defer { load.reset() }
    let state = try Self.state(load, id)
    // Rows of the first format have no checksum until they are written again.
    if load.type(24) != .null, load.int64(24) != Self.checksum(of: state) {
      throw StoreError(.corrupt, "conversation \(state.key) does not match its checksum")
    }
    return state
  }

  private static func state(_ load: Statement, _ id: Int64) throws(StoreError) -> ConversationState {
    var summary = ConversationState.Summary()
    summary.messageCount = load.int64(2)
    summary.unread = load.int64(3)
    summary.lastMessage = load.type(4) == .null ? nil : load.int64(4)
    summary.lastTime = load.int64(5)
    summary.lastSeq = load.int64(6)
    summary.unfetched = load.int64(16)
    summary.pending = load.int64(17)
    summary.isPinned = load.int64(18) != 0
    summary.receiveOption = load.int64(19)
    summary.draftTime = load.int64(20)
    var marks = ConversationMarks()
    marks.readSeq = load.int64(8)
    marks.clearedSeq = load.int64(9)
    marks.clearedTime = load.int64(10)
    marks.hiddenSeq = load.int64(11)
    marks.hiddenTime = load.int64(12)
    marks.serverMax = load.int64(13)
    marks.known = try SeqIntervals(packed: load.bytes(14))
    marks.closed = try SeqIntervals(packed: load.bytes(15))
    return ConversationState(
      id: id, key: load.string(0), sessionType: load.int64(1), summary: summary, marks: marks,
      revision: load.int64(7), idTargets: load.int64(22), seqTargets: load.int64(23))
  }

  /// Writes the state back, with the revision of its change if there was one.
  func save(_ state: ConversationState) throws(StoreError) {
    guard let update else { throw StoreError(.readOnly, "a reader cannot change a conversation") }
    let numbers = Self.numbers(state, revision: state.revision ?? state.oldRevision)
    let (known, closed) = (state.marks.known.packed, state.marks.closed.packed)
    update.bind(state.id, at: 1)
    for (index, number) in numbers.enumerated() { update.bind(number, at: Int32(index) + 2) }
    if state.summary.lastMessage == nil { update.bindNull(at: 4) }
    update.bind(known, at: 22)
    update.bind(closed, at: 23)
    update.bind(Self.checksum(state.key, numbers, known, closed), at: 24)
    try update.run()
  }

  /// Remembers what a transaction left, for the next one.
  func remember(_ state: ConversationState) {
    state.settle()
    if states.count >= Self.stateLimit { states.removeAll(keepingCapacity: true) }
    states[state.id] = state
  }

  /// Drops what is remembered, after a rollback.
  func forget() {
    ids.removeAll(keepingCapacity: true)
    forgetStates()
  }

  /// Drops what the latest transactions left, but not the numbers of conversations.
  func forgetStates() {
    states.removeAll(keepingCapacity: true)
  }

  private func remember(_ id: Int64, _ key: String) -> Int64 {
    if ids.count >= Self.cacheLimit { ids.removeAll(keepingCapacity: true) }
    ids[ByteKey(text: key)] = id
    return id
  }

  /// The numbers of a row in the order of the update's parameters.
  private static func numbers(_ state: ConversationState, revision: Int64) -> [Int64] {
    let (summary, marks) = (state.summary, state.marks)
    return [
      summary.messageCount, summary.unread, summary.lastMessage ?? 0, summary.lastTime, summary.lastSeq, revision,
      marks.readSeq, marks.clearedSeq, marks.clearedTime, marks.hiddenSeq, marks.hiddenTime, marks.serverMax,
      summary.unfetched, summary.pending, summary.isPinned ? 1 : 0, summary.receiveOption, summary.draftTime,
      summary.sortTime, state.idTargets, state.seqTargets,
    ]
  }

  /// The checksum of a state as its row holds it.
  private static func checksum(of state: ConversationState) -> Int64 {
    checksum(
      state.key, numbers(state, revision: state.oldRevision), state.marks.known.packed, state.marks.closed.packed)
  }

  private static func checksum(_ key: String, _ numbers: [Int64], _ known: [UInt8], _ closed: [UInt8]) -> Int64 {
    var checksum = Checksum()
    checksum.add(key)
    // Twenty of them.
    for first in stride(from: 0, to: numbers.count, by: 4) {
      checksum.add(numbers[first], numbers[first + 1], numbers[first + 2], numbers[first + 3])
    }
    checksum.add(known)
    checksum.add(closed)
    return Int64(checksum.value)
  }
}
