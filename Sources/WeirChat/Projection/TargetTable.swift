import WeirStore

/// How a stored fact names its message: SQLite holds whole numbers, texts and bytes apart, so seqs and client ids share a
/// column without meeting.
enum StoredTarget: Sendable, Equatable {
  case clientID(StoredID)
  case seq(Int64)

  init(_ reference: MessageReference) {
    switch reference {
    case .clientMsgID(let id): self = .clientID(StoredID(id))
    case .seq(let seq): self = .seq(seq)
    }
  }

  /// Reads a column.
  init(_ statement: Statement, _ column: Int32) {
    self = statement.type(column) == .integer ? .seq(statement.int64(column)) : .clientID(StoredID(statement, column))
  }

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .clientID(let id): id.bind(to: statement, at: index)
    case .seq(let seq): statement.bind(seq, at: index)
    }
  }

  func add(to checksum: inout Checksum) {
    switch self {
    case .clientID(let id): id.add(to: &checksum)
    case .seq(let seq): checksum.add(seq)
    }
  }
}

/// What is known of messages by a name that is not, or not only, a row's: by client ids whose message has not come (the
/// orphans), and by seqs.
///
/// What names a client id moves into the row when the message comes. What names a seq stays for good, because a seq may
/// turn out to belong to a further copy at any time later; it is joined to every message that carries the seq.
final class TargetTable {
  private let coding: AmendmentCoding
  private let select: Statement
  private let upsert: Statement?
  private let delete: Statement?

  init(_ connection: Connection, strings: InternedStrings, writes: Bool) throws(StoreError) {
    coding = AmendmentCoding(strings: strings)
    select = try connection.prepare("SELECT known, crc FROM targets WHERE conversation = ?1 AND target = ?2")
    upsert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO targets(conversation, target, known, crc) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET known = ?3, crc = ?4
        """) : nil
    delete = writes ? try connection.prepare("DELETE FROM targets WHERE conversation = ?1 AND target = ?2") : nil
  }

  /// What is known of a target; nil for nothing.
  func known(_ conversation: Int64, _ target: StoredTarget) throws(StoreError) -> Amendments? {
    select.bind(conversation, at: 1)
    target.bind(to: select, at: 2)
    guard try select.step() else { return nil }
    defer { select.reset() }
    return try read(select, conversation, target, 0)
  }

  /// Joins knowledge to a target; false when it tells nothing new. `isFirst` says whether nothing was known of it.
  func join(
    _ amendments: Amendments, _ conversation: Int64, _ target: StoredTarget
  ) throws(StoreError) -> (isNews: Bool, isFirst: Bool) {
    let before = try known(conversation, target)
    var after = before ?? Amendments()
    after.join(amendments)
    if before == after { return (false, false) }
    guard let upsert else { throw StoreError(.readOnly, "a reader cannot note what is known of a message") }
    let bytes = try coding.encode(after)
    upsert.bind(conversation, at: 1)
    target.bind(to: upsert, at: 2)
    upsert.bind(bytes, at: 3)
    upsert.bind(Self.checksum(conversation, target, bytes), at: 4)
    try upsert.run()
    return (true, before == nil)
  }

  /// Forgets what was known of a client id, when its message has come.
  func remove(_ conversation: Int64, _ clientID: StoredID) throws(StoreError) {
    guard let delete else { throw StoreError(.readOnly, "a reader cannot remove anything") }
    delete.bind(conversation, at: 1)
    clientID.bind(to: delete, at: 2)
    try delete.run()
  }

  /// Reads the columns `known` and `crc` from column `first` on.
  func read(
    _ statement: Statement, _ conversation: Int64, _ target: StoredTarget, _ first: Int32
  ) throws(StoreError) -> Amendments {
    let bytes = statement.bytes(first)
    guard statement.int64(first + 1) == Self.checksum(conversation, target, bytes) else {
      throw StoreError(.corrupt, "what is known of a target does not match its checksum")
    }
    return try coding.decode(bytes).amendments
  }

  private static func checksum(_ conversation: Int64, _ target: StoredTarget, _ bytes: [UInt8]) -> Int64 {
    var checksum = Checksum()
    checksum.add(conversation)
    target.add(to: &checksum)
    checksum.add(bytes)
    return Int64(checksum.value)
  }
}
