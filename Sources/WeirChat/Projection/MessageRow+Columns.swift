import WeirStore

/// How a row stands in the table: what indexes and conditions need in columns of its own, the rest in one value, since each
/// column costs a byte of every row and a step of every statement.
extension MessageRow {
  /// The columns in the order of `bind` and `init(_:_:)`.
  static let columnNames = [
    "conversation", "client_id", "seq", "send_time", "create_time", "sender", "evidence", "marks", "rest",
  ]
  static let columns = columnNames.joined(separator: ", ")
  static let columnCount: Int32 = 9

  /// The bytes of the checksum at the start of `rest`.
  private static let checksumSize = 4
  /// What an acknowledgement adds at most: a time, a seq, the server's id, and that it came.
  private static let roomForPlace = 30

  /// Reads the columns that start at `first`.
  ///
  /// - Throws: `StoreError` of kind `corrupt` when they do not match their checksum.
  init(_ statement: Statement, _ first: Int32) throws(StoreError) {
    let clientID = StoredID(statement, first + 1)
    let row = statement.withBytes(first + 8) { MessageRow(statement, first, clientID, rest: $0) }
    guard let row else { throw StoreError(.corrupt, "message \(clientID.string) does not match its checksum") }
    self = row
  }

  /// Nil when the columns do not match their checksum.
  private init?(_ statement: Statement, _ first: Int32, _ clientID: StoredID, rest: UnsafeRawBufferPointer) {
    self.clientID = clientID
    conversation = statement.int64(first)
    seq = statement.int64(first + 2)
    sendTime = statement.int64(first + 3)
    let createTimeColumn = statement.int64(first + 4)
    sender = statement.int64(first + 5)
    evidence = statement.int64(first + 6)
    marks = MessageMarks(rawValue: statement.int64(first + 7))
    guard rest.count > Self.checksumSize else { return nil }
    let parts = UnsafeRawBufferPointer(rebasing: rest[Self.checksumSize...])
    var checksum = Checksum()
    checksum.add(conversation, seq, sendTime, createTimeColumn)
    checksum.add(sender, evidence, marks.rawValue, Int64(parts.count))
    clientID.add(to: &checksum)
    checksum.add(raw: parts)
    guard UInt32(littleEndian: rest.loadUnaligned(as: UInt32.self)) == checksum.value else { return nil }

    var view = PackedView(parts)
    let (packing, form) = RowPacking.split(view.number())
    contentForm = form
    createTime = packing.contains(.createTimeFromSendTime) ? sendTime &+ createTimeColumn : createTimeColumn
    revision = view.number()
    serverID =
      packing.contains(.packedServerID)
      ? .packed(PackedID(bytes: view.raw(16)) ?? PackedID(high: 0, low: 0)) : .text(view.text())
    receiver = view.number()
    nickname = sender &+ view.signedNumber()
    platform = view.number()
    origin = view.number()
    contentType = packing.contains(.bareText) ? RowPacking.textType : view.number()
    contentSeq = packing.contains(.contentSeqIsSeq) ? seq : view.number()
    if packing.contains(.rareParts) {
      (face, ex, attached, extra) = (view.number(), view.text(), view.text(), view.array())
    } else {
      (face, ex, attached, extra) = (0, "", "", [])
    }
    if packing.contains(.roomForPlace) { _ = view.raw(Int(clamping: view.number())) }
    content = packing.content(view.rest())
    if view.isCutOff { return nil }
  }

  /// `createTime` as it stands in its column.
  var createTimeColumn: Int64 {
    RowPacking.of(self).contains(.createTimeFromSendTime) ? createTime &- sendTime : createTime
  }

  /// Binds the columns from parameter `first` on. A row that is damaged keeps a checksum that does not match.
  func bind(to statement: Statement, from first: Int32, isDamaged: Bool = false) {
    let packing = RowPacking.of(self)
    let createTimeColumn = packing.contains(.createTimeFromSendTime) ? createTime &- sendTime : createTime
    var rest = self.rest(packing)
    var checksum = Checksum()
    checksum.add(conversation, seq, sendTime, createTimeColumn)
    checksum.add(sender, evidence, marks.rawValue, Int64(rest.count - Self.checksumSize))
    clientID.add(to: &checksum)
    rest.withUnsafeMutableBytes { rest in
      checksum.add(raw: UnsafeRawBufferPointer(rebasing: rest[Self.checksumSize...]))
      rest.storeBytes(of: (isDamaged ? ~checksum.value : checksum.value).littleEndian, as: UInt32.self)
      statement.bind(UnsafeRawBufferPointer(rest), at: first + 8)
    }
    statement.bind(conversation, at: first)
    clientID.bind(to: statement, at: first + 1)
    statement.bind(seq, at: first + 2)
    statement.bind(sendTime, at: first + 3)
    statement.bind(createTimeColumn, at: first + 4)
    statement.bind(sender, at: first + 5)
    statement.bind(evidence, at: first + 6)
    statement.bind(marks.rawValue, at: first + 7)
  }

  /// The value of the last column, with room for the checksum.
  private func rest(_ packing: RowPacking) -> [UInt8] {
    var writer = PackedWriter()
    writer.reserve(content.count + extra.count + ex.utf8.count + attached.utf8.count + 64)
    writer.add(zeros: Self.checksumSize)
    writer.add(packing.rawValue | contentForm)
    writer.add(revision)
    switch serverID {
    case .packed(let id): id.withBytes { writer.add(raw: $0) }
    case .text(let text): writer.add(text)
    }
    writer.add(receiver)
    // A name is mostly first met together with its user, so that the two numbers are neighbours.
    writer.add(signed: nickname &- sender)
    writer.add(platform)
    writer.add(origin)
    if !packing.contains(.bareText) { writer.add(contentType) }
    if !packing.contains(.contentSeqIsSeq) { writer.add(contentSeq) }
    if packing.contains(.rareParts) {
      writer.add(face)
      writer.add(ex)
      writer.add(attached)
      writer.add(extra)
    }
    if packing.contains(.roomForPlace) {
      writer.add(Int64(Self.roomForPlace))
      writer.add(zeros: Self.roomForPlace)
    }
    packing.withStored(content) { writer.add(raw: $0) }
    return writer.bytes
  }
}
