import WeirStore

/// One row of the messages table, with ids interned.
struct MessageRow {
  let conversation: Int64
  let clientID: StoredID
  let seq: Int64
  let sendTime: Int64
  let createTime: Int64
  let serverID: StoredID
  let sender: Int64
  let receiver: Int64
  let platform: Int64
  let origin: Int64
  let nickname: Int64
  let face: Int64
  let ex: String
  let attached: String
  let evidence: Int64
  /// With those that follow from other tables, which are kept here so that counting needs no look at them.
  let marks: MessageMarks
  let contentType: Int64
  let contentForm: Int64
  let contentSeq: Int64
  let content: [UInt8]
  let revision: Int64
  /// What is known beside the copies, see `AmendmentCoding`; empty for nothing.
  let extra: [UInt8]

  /// How `content`, `contentSeq` and `createTime` stand in their columns.
  let packing: RowPacking
  /// `createTime` as it stands in its column.
  let createTimeColumn: Int64

  /// The columns in the order of `bind` and `init(_:_:)`.
  static let columnNames = [
    "conversation", "client_id", "seq", "send_time", "create_time", "server_id", "sender", "receiver", "platform",
    "origin", "nickname", "face", "ex", "attached", "evidence", "marks", "content_type", "content_form",
    "content_seq", "content", "revision", "extra", "crc",
  ]
  static let columns = columnNames.joined(separator: ", ")
  static let columnCount: Int32 = 23

  /// The row of a state.
  init(
    _ state: MessageState, conversation: Int64, clientID: StoredID, sender: Int64, derived: MessageMarks,
    revision: Int64, strings: InternedStrings
  ) throws(StoreError) {
    self.conversation = conversation
    self.clientID = clientID
    let placement = state.placement
    seq = placement.seq
    sendTime = placement.sendTime
    createTime = state.envelope.createTime
    serverID = StoredID(placement.serverMsgID)
    self.sender = sender
    receiver = try strings.number(state.envelope.receiverID)
    platform = Int64(state.envelope.platformID)
    origin = Int64(state.envelope.origin)
    nickname = try strings.number(state.envelope.senderNickname)
    face = try strings.number(state.envelope.senderFaceURL)
    ex = state.envelope.ex
    attached = state.envelope.attachedInfo
    evidence = state.evidence.rawValue
    marks = state.marks.union(derived)
    contentType = Int64(state.body.contentType)
    contentForm = state.body.form.rawValue
    contentSeq = state.body.seq
    content = state.body.bytes
    self.revision = revision
    if state.amendments.isEmpty {
      // Without an acknowledgement the copy stands where the row does.
      extra = []
    } else {
      let copy = state.envelope.placement
      extra = try AmendmentCoding(strings: strings).encode(
        state.amendments, copy: copy == placement ? nil : copy, placement: placement)
    }
    (packing, createTimeColumn) = RowPacking.of(
      content: content, form: state.body.form, contentSeq: contentSeq, seq: seq, createTime: createTime,
      sendTime: sendTime, marks: marks)
  }

  /// Reads the columns that start at `first`.
  ///
  /// - Throws: `StoreError` of kind `corrupt` when they do not match their checksum.
  init(_ statement: Statement, _ first: Int32) throws(StoreError) {
    conversation = statement.int64(first)
    clientID = StoredID(statement, first + 1)
    seq = statement.int64(first + 2)
    sendTime = statement.int64(first + 3)
    createTimeColumn = statement.int64(first + 4)
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
    (packing, contentForm) = RowPacking.split(statement.int64(first + 17))
    createTime = packing.contains(.createTimeFromSendTime) ? sendTime &+ createTimeColumn : createTimeColumn
    contentSeq = packing.contains(.contentSeqIsSeq) ? seq : statement.int64(first + 18)
    content = packing.content(statement, first + 19)
    revision = statement.int64(first + 20)
    extra = statement.bytes(first + 21)
    guard UInt32(truncatingIfNeeded: statement.int64(first + 22)) == checksum else {
      throw StoreError(.corrupt, "message \(clientID.string) does not match its checksum")
    }
  }

  /// Binds the columns from parameter `first` on, the checksum last.
  func bind(to statement: Statement, from first: Int32) {
    statement.bind(conversation, at: first)
    clientID.bind(to: statement, at: first + 1)
    statement.bind(seq, at: first + 2)
    statement.bind(sendTime, at: first + 3)
    statement.bind(createTimeColumn, at: first + 4)
    serverID.bind(to: statement, at: first + 5)
    statement.bind(sender, at: first + 6)
    statement.bind(receiver, at: first + 7)
    statement.bind(platform, at: first + 8)
    statement.bind(origin, at: first + 9)
    statement.bind(nickname, at: first + 10)
    statement.bind(face, at: first + 11)
    statement.bind(ex, at: first + 12)
    statement.bind(attached, at: first + 13)
    statement.bind(evidence, at: first + 14)
    statement.bind(marks.rawValue, at: first + 15)
    statement.bind(contentType, at: first + 16)
    statement.bind(contentForm | packing.rawValue, at: first + 17)
    statement.bind(packing.contains(.contentSeqIsSeq) ? 0 : contentSeq, at: first + 18)
    packing.bind(content, to: statement, at: first + 19)
    statement.bind(revision, at: first + 20)
    if extra.isEmpty { statement.bindNull(at: first + 21) } else { statement.bind(extra, at: first + 21) }
    // Signed, so that it takes four bytes.
    statement.bind(Int64(Int32(bitPattern: checksum)), at: first + 22)
  }

  /// The state that the row holds.
  ///
  /// - Throws: `StoreError` of kind `corrupt` when a number names nothing.
  func state(_ strings: InternedStrings) throws(StoreError) -> MessageState {
    var envelope = Envelope()
    envelope.seq = seq
    envelope.sendTime = sendTime
    envelope.serverMsgID = serverID.string
    envelope.createTime = createTime
    envelope.senderID = try strings.text(sender)
    envelope.receiverID = try strings.text(receiver)
    envelope.platformID = Int32(truncatingIfNeeded: platform)
    envelope.origin = Int32(truncatingIfNeeded: origin)
    envelope.senderNickname = try strings.text(nickname)
    envelope.senderFaceURL = try strings.text(face)
    envelope.ex = ex
    envelope.attachedInfo = attached
    guard let evidence = ServerEvidence(rawValue: evidence), let form = BodyVersion.Form(rawValue: contentForm) else {
      throw StoreError(.corrupt, "message \(clientID.string) holds unknown numbers")
    }
    var amendments = Amendments()
    if !extra.isEmpty {
      let known = try AmendmentCoding(strings: strings).decode(extra, placement: envelope.placement)
      amendments = known.amendments
      if let copy = known.copy { envelope.placement = copy }
    }
    return MessageState(
      envelope: envelope, evidence: evidence, marks: marks.subtracting(.derived),
      body: BodyVersion(
        form: form, seq: contentSeq, contentType: Int32(truncatingIfNeeded: contentType), bytes: content),
      amendments: amendments)
  }

  /// Whether this row, of a copy about which nothing else is known, holds what another has taken in already: most
  /// redeliveries. False when only the join can tell.
  func tellsNothingNew(to stored: MessageRow) -> Bool {
    extra.isEmpty && stored.extra.isEmpty && seq == stored.seq && sendTime == stored.sendTime
      && createTime == stored.createTime && serverID == stored.serverID && sender == stored.sender
      && receiver == stored.receiver && platform == stored.platform && origin == stored.origin
      && nickname == stored.nickname && face == stored.face && ex.utf8Equals(stored.ex)
      && attached.utf8Equals(stored.attached) && evidence <= stored.evidence
      && stored.marks.isSuperset(of: marks) && contentType == stored.contentType && contentForm == stored.contentForm
      && contentSeq == stored.contentSeq && content == stored.content
  }

  private var checksum: UInt32 {
    var checksum = Checksum()
    checksum.add(conversation, seq, sendTime, createTime)
    checksum.add(sender, receiver, platform, origin)
    checksum.add(nickname, face, evidence, marks.rawValue)
    checksum.add(contentType, contentForm, contentSeq, revision)
    clientID.add(to: &checksum)
    serverID.add(to: &checksum)
    checksum.add(ex)
    checksum.add(attached)
    checksum.add(content)
    // Rows of the first format have none, and keep their checksum.
    if !extra.isEmpty { checksum.add(extra) }
    return checksum.value
  }
}
