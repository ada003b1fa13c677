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
}
