import WeirStore

/// The messages table of the first three formats, which had a column for each part of a row.
final class LegacyMessageTable {
  private static let columnNames = [
    "conversation", "client_id", "seq", "send_time", "create_time", "server_id", "sender", "receiver", "platform",
    "origin", "nickname", "face", "ex", "attached", "evidence", "marks", "content_type", "content_form",
    "content_seq", "content", "revision", "extra", "crc",
  ]

  private let load: Statement
  private let all: Statement
  private let update: Statement

  init(_ connection: Connection) throws(StoreError) {
    let columns = Self.columnNames.joined(separator: ", ")
    load = try connection.prepare("SELECT id, \(columns) FROM messages WHERE id = ?1")
    all = try connection.prepare("SELECT id, \(columns) FROM messages ORDER BY id")
    update = try connection.prepare(
      "UPDATE messages SET evidence = ?2, marks = ?3, extra = ?4, crc = ?5 WHERE id = ?1")
  }

  /// The row of an id.
  ///
  /// - Throws: `StoreError` of kind `corrupt` when it does not match its checksum.
  func load(_ id: Int64) throws(StoreError) -> MessageRow? {
    load.bind(id, at: 1)
    guard try load.step() else { return nil }
    defer { load.reset() }
    let (row, isIntact) = Self.row(load)
    guard isIntact else {
      throw StoreError(.corrupt, "message \(row.clientID.string) does not match its checksum")
    }
    return row
  }

  /// Gives `body` every row with its id, and whether it matches its checksum.
  func visit(
    _ body: (_ id: Int64, _ row: MessageRow, _ isIntact: Bool) throws(StoreError) -> Void
  ) throws(StoreError) {
    while try all.step() {
      let (row, isIntact) = Self.row(all)
      try body(all.int64(0), row, isIntact)
    }
  }

  /// Writes what a row is known to be beside its copies.
  func amend(_ id: Int64, with row: MessageRow) throws(StoreError) {
    update.bind(id, at: 1)
    update.bind(row.evidence, at: 2)
    update.bind(row.marks.rawValue, at: 3)
    if row.extra.isEmpty { update.bindNull(at: 4) } else { update.bind(row.extra, at: 4) }
    update.bind(Int64(Int32(bitPattern: Self.checksum(row))), at: 5)
    try update.run()
  }

  private static func row(_ statement: Statement) -> (MessageRow, isIntact: Bool) {
    let row = MessageRow(legacy: statement, 1)
    return (row, UInt32(truncatingIfNeeded: statement.int64(23)) == checksum(row))
  }

  private static func checksum(_ row: MessageRow) -> UInt32 {
    var checksum = Checksum()
    checksum.add(row.conversation, row.seq, row.sendTime, row.createTime)
    checksum.add(row.sender, row.receiver, row.platform, row.origin)
    checksum.add(row.nickname, row.face, row.evidence, row.marks.rawValue)
    checksum.add(row.contentType, row.contentForm, row.contentSeq, row.revision)
    row.clientID.add(to: &checksum)
    row.serverID.add(to: &checksum)
    checksum.add(row.ex)
    checksum.add(row.attached)
    checksum.add(row.content)
    // Rows of the first format have none, and keep their checksum.
    if !row.extra.isEmpty { checksum.add(row.extra) }
    return checksum.value
  }
}

extension MessageRow {
  /// Reads the columns of a table of the first three formats.
  fileprivate init(legacy statement: Statement, _ first: Int32) {
    conversation = statement.int64(first)
    clientID = StoredID(statement, first + 1)
    seq = statement.int64(first + 2)
    sendTime = statement.int64(first + 3)
    let createTimeColumn = statement.int64(first + 4)
    serverID = StoredID(statement, first + 5)
    sender = statement.int64(first + 6)
    receiver = statement.int64(first + 7)
    platform = statement.int64(first + 8)
    origin = statement.int64(first + 9)
    nickname = statement.int64(first + 10)
    face = statement.int64(first + 11)
    ex = statement.string(first + 12)
    attached = statement.string(first + 13)
    evidence = statement.int64(first + 14)
    marks = MessageMarks(rawValue: statement.int64(first + 15))
    contentType = statement.int64(first + 16)
    let (packing, form) = RowPacking.split(statement.int64(first + 17))
    contentForm = form
    createTime = packing.contains(.createTimeFromSendTime) ? sendTime &+ createTimeColumn : createTimeColumn
    contentSeq = packing.contains(.contentSeqIsSeq) ? seq : statement.int64(first + 18)
    content = statement.withBytes(first + 19) { packing.content($0) }
    revision = statement.int64(first + 20)
    extra = statement.bytes(first + 21)
  }
}
