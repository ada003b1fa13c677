import WeirStore

/// The recalls known, whether their message has come or not. A recall is kept for good, because a copy of its message
/// may come at any time later; a recall without a message is the orphan of the receiving spec §2.7.
///
/// The key is what a recall says about its target, so that recalls with different scopes do not overwrite one another;
/// of several recalls of one key the smallest record stays.
final class RecallTable {
  /// What a recall says about its target; 0 means any.
  struct Scope: Equatable {
    var conversation: Int64
    var sessionType: Int64
    var sender: Int64

    /// Whether a message of this place and sender is meant.
    func covers(_ message: Scope) -> Bool {
      (conversation == 0 || conversation == message.conversation)
        && (sessionType == 0 || sessionType == message.sessionType) && (sender == 0 || sender == message.sender)
    }
  }

  /// The columns in the order of `read`.
  static let columns = "client_id, conversation, session_type, sender, time, revoker, role, by_admin, seq, crc"

  private let strings: InternedStrings
  private let select: Statement
  /// Nil on a connection that only reads.
  private let upsert: Statement?
  private let exists: Statement
  /// Whether there are none, which spares a look for each message. Only a writer can know, inside its transaction.
  private var isEmpty = false

  init(_ connection: Connection, strings: InternedStrings, writes: Bool) throws(StoreError) {
    self.strings = strings
    let columns = Self.columns
    select = try connection.prepare("SELECT \(columns) FROM recalls WHERE client_id = ?1")
    upsert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO recalls(\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT DO UPDATE SET
        (time, revoker, role, by_admin, seq, crc) = (?5, ?6, ?7, ?8, ?9, ?10)
        """) : nil
    exists = try connection.prepare("SELECT EXISTS(SELECT 1 FROM recalls)")
  }

  /// To be called at the start of each write transaction.
  func begin() throws(StoreError) {
    isEmpty = try exists.firstInt64() == 0
  }

  /// The recall that holds for a message, if one does.
  func record(clientID: StoredID, message: Scope) throws(StoreError) -> RecallRecord? {
    if isEmpty { return nil }
    return try all(clientID).filter { $0.scope.covers(message) }.map(\.record).min()
  }

  /// Joins a recall to what is known; false when it tells nothing new.
  func join(_ record: RecallRecord, clientID: StoredID, scope: Scope) throws(StoreError) -> Bool {
    let known = try all(clientID).first { $0.scope == scope }?.record
    if let known, !(record < known) { return false }
    guard let upsert else { throw StoreError(.readOnly, "a reader cannot note a recall") }
    let revoker = try strings.number(record.revokerID)
    clientID.bind(to: upsert, at: 1)
    for (index, number) in Self.numbers(scope, record, revoker).enumerated() {
      upsert.bind(number, at: Int32(index) + 2)
    }
    upsert.bind(Self.checksum(clientID, scope, record, revoker), at: 10)
    try upsert.run()
    isEmpty = false
    return true
  }

  /// The recalls of a client id, whatever their scope.
  func all(_ clientID: StoredID) throws(StoreError) -> [(scope: Scope, record: RecallRecord)] {
    clientID.bind(to: select, at: 1)
    var result: [(scope: Scope, record: RecallRecord)] = []
    defer { select.reset() }
    while try select.step() { result.append(try Self.read(select, strings)) }
    return result
  }

  /// Reads one row of the table: client id, scope, record and checksum from column 0 on.
  static func read(
    _ statement: Statement, _ strings: InternedStrings
  ) throws(StoreError) -> (scope: Scope, record: RecallRecord) {
    let scope = Scope(
      conversation: statement.int64(1), sessionType: statement.int64(2), sender: statement.int64(3))
    let revoker = statement.int64(5)
    let record = RecallRecord(
      time: statement.int64(4), revokerID: try strings.text(revoker),
      revokerRole: Int32(truncatingIfNeeded: statement.int64(6)), isByAdmin: statement.int64(7) != 0,
      seq: statement.int64(8))
    let clientID = StoredID(statement, 0)
    guard statement.int64(9) == checksum(clientID, scope, record, revoker) else {
      throw StoreError(.corrupt, "the recall of \(clientID.string) does not match its checksum")
    }
    return (scope, record)
  }

  private static func numbers(_ scope: Scope, _ record: RecallRecord, _ revoker: Int64) -> [Int64] {
    [
      scope.conversation, scope.sessionType, scope.sender, record.time, revoker, Int64(record.revokerRole),
      record.isByAdmin ? 1 : 0, record.seq,
    ]
  }

  private static func checksum(
    _ clientID: StoredID, _ scope: Scope, _ record: RecallRecord, _ revoker: Int64
  ) -> Int64 {
    var checksum = Checksum()
    clientID.add(to: &checksum)
    for number in numbers(scope, record, revoker) { checksum.add(number) }
    return Int64(checksum.value)
  }
}
