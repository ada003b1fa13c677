import WeirStore

/// Everything the store keeps that makes a message what it is to its reader, and what follows from it.
public struct RowExplanation: Sendable, Equatable {
  /// A recall that names the message by its client id.
  public struct Recall: Sendable, Equatable {
    /// Who took it back, and when.
    public var record: RecallRecord
    /// The conversation it names; nil for any.
    public var conversationID: String?
    /// The kind of conversation it names; nil for any.
    public var sessionType: SessionType?
    /// The sender it names; empty for any.
    public var senderID: String
    /// Whether it means this message. Others of the same client id stand elsewhere.
    public var covers: Bool
  }

  /// What names the message by one of its seqs.
  public struct BySeq: Sendable, Equatable {
    /// The seq.
    public var seq: Int64
    /// What is known by it. It has gone into the message too.
    public var known: MessageKnowledge
  }

  /// Why a message is in no list.
  public enum HiddenReason: String, Sendable, CaseIterable {
    /// The account deleted it.
    case deletedForSelf
    /// It was deleted for everybody.
    case deletedForAll
    /// A copy says that it is never to be shown.
    case filtered
    /// It was private and its time has come.
    case burned
    /// A clear of its conversation reaches its seq.
    case clearedBySeq
    /// A clear of its conversation reaches its time.
    case clearedByTime
  }

  /// The message as a reader sees it.
  public var message: StoredMessage
  /// Where it stands: the canonical one of what copies and acknowledgements name.
  public var place: MessageKnowledge.Place
  /// The place that its canonical copy names.
  public var copy: MessageKnowledge.Place
  /// Its seqs beside the canonical one, from other copies and acknowledgements, ascending.
  public var otherSeqs: [Int64]
  /// How far copies and acknowledgements vouch for it, before readings are looked at.
  public var evidence: ServerEvidence
  /// The marks of its copies and of facts about it, without those that follow from elsewhere.
  public var marks: MessageMarks
  /// The content number of the best copy.
  public var contentType: Int32
  /// The seq of the copy that the content came with; 0 for none.
  public var contentSeq: Int64
  /// Whether the content was understood when it came; else its whole line is kept, or nothing came.
  public var isContentExpanded: Bool
  /// Whether any content came.
  public var hasContent: Bool
  /// What is known beside the copies.
  public var known: MessageKnowledge
  /// What names it by a seq, ascending.
  public var bySeq: [BySeq]
  /// Recalls that name its client id.
  public var recalls: [Recall]
  /// Read marks that reach it: the earliest known one of each reader, in the order of their ids; the account's is among
  /// them.
  public var readMarks: [PeerRead]
  /// How far the account has read the conversation.
  public var ownReadSeq: Int64
  /// The conversation is cleared up to this seq.
  public var clearedSeq: Int64
  /// The conversation is cleared up to this time, in milliseconds since 1970.
  public var clearedTime: Int64
  /// Why it is in no list; empty when it is in one.
  public var hiddenReasons: [HiddenReason]
}

extension ProjectionReader {
  /// Explains every message of a client id: two conversations may carry the same one.
  func explanations(_ clientMsgID: String, in key: String?) throws(StoreError) -> [RowExplanation] {
    let clientID = StoredID(clientMsgID)
    var explanations: [RowExplanation] = []
    for id in try messageTable.candidates(clientID: clientID, sessionType: 0) {
      guard let (_, row) = try messageTable.load(id) else { continue }
      let conversation = try conversationTable.load(row.conversation)
      if let key, !key.utf8Equals(conversation.key) { continue }
      guard let message = try message(conversation.key, clientMsgID) else { continue }
      explanations.append(try explanation(id, row, conversation, message))
    }
    return explanations
  }

  private func explanation(
    _ id: Int64, _ row: MessageRow, _ conversation: ConversationState, _ message: StoredMessage
  ) throws(StoreError) -> RowExplanation {
    let state = try row.state(strings)
    let aliases = try messageTable.aliases(of: id).sorted()
    let seqs = row.seq > 0 ? [row.seq] + aliases : aliases
    var bySeq: [RowExplanation.BySeq] = []
    for seq in seqs.sorted() {
      guard let known = try targets.known(conversation.id, .seq(seq)) else { continue }
      bySeq.append(.init(seq: seq, known: MessageKnowledge(known)))
    }
    return RowExplanation(
      message: message, place: .init(state.placement), copy: .init(state.envelope.placement), otherSeqs: aliases,
      evidence: state.evidence, marks: state.marks, contentType: state.body.contentType, contentSeq: state.body.seq,
      isContentExpanded: state.body.form == .element, hasContent: state.body.form != .absent,
      known: MessageKnowledge(state.amendments), bySeq: bySeq,
      recalls: try recalls(row, conversation), readMarks: try readMarks(row, conversation.id),
      ownReadSeq: conversation.marks.readSeq, clearedSeq: conversation.marks.clearedSeq,
      clearedTime: conversation.marks.clearedTime, hiddenReasons: hiddenReasons(row, state, conversation.marks))
  }

  private func recalls(
    _ row: MessageRow, _ conversation: ConversationState
  ) throws(StoreError) -> [RowExplanation.Recall] {
    let place = RecallTable.Scope(
      conversation: row.conversation, sessionType: conversation.sessionType, sender: row.sender)
    var found: [RowExplanation.Recall] = []
    for (scope, record) in try recalls.all(row.clientID) {
      found.append(
        RowExplanation.Recall(
          record: record,
          conversationID: scope.conversation == 0 ? nil : try conversationTable.load(scope.conversation).key,
          sessionType: SessionType(rawValue: Int32(truncatingIfNeeded: scope.sessionType)),
          senderID: try strings.text(scope.sender), covers: scope.covers(place)))
    }
    return found.sorted { $0.record < $1.record }
  }

  private func readMarks(_ row: MessageRow, _ conversation: Int64) throws(StoreError) -> [PeerRead] {
    guard row.seq > 0 else { return [] }
    var marks: [PeerRead] = []
    for reader in try readings.watermarks.readers(conversation) {
      guard let mark = try readings.watermarks.mark(conversation, reader, at: row.seq) else { continue }
      marks.append(
        PeerRead(userID: try strings.text(reader), upToSeq: mark.seq, time: mark.time == .max ? 0 : mark.time))
    }
    return marks.sorted { $0.userID.utf8Precedes($1.userID) }
  }

  private func hiddenReasons(
    _ row: MessageRow, _ state: MessageState, _ marks: ConversationMarks
  ) -> [RowExplanation.HiddenReason] {
    var reasons: [RowExplanation.HiddenReason] = []
    if row.marks.contains(.deletedForSelf) { reasons.append(.deletedForSelf) }
    if row.marks.contains(.deletedForAll) { reasons.append(.deletedForAll) }
    if row.marks.contains(.filtered) { reasons.append(.filtered) }
    if row.marks.contains(.burned) { reasons.append(.burned) }
    if row.seq > 0, row.seq <= marks.clearedSeq { reasons.append(.clearedBySeq) }
    if row.sendTime > 0, row.sendTime <= marks.clearedTime, state.evidence != .none { reasons.append(.clearedByTime) }
    return reasons
  }
}

extension ProjectionView {
  /// Explains every message of a client id, in one conversation or in all; empty when there is none. Asks every
  /// conversation once.
  public func explanations(
    of clientMsgID: String, in conversationID: String? = nil
  ) throws(StoreError) -> [RowExplanation] {
    try reader.explanations(clientMsgID, in: conversationID)
  }
}
