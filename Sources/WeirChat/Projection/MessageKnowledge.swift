/// What the store knows of a message beside its copies: edits, deletions, receipts, acknowledgements, sendings.
public struct MessageKnowledge: Sendable, Equatable {
  /// Somebody who has read the message by a receipt of its own, not by a watermark.
  public struct Reader: Sendable, Equatable {
    /// Who.
    public var userID: String
    /// When, in milliseconds since 1970; 0 when unknown.
    public var time: Int64
  }

  /// Where an acknowledgement or a copy puts the message.
  public struct Place: Sendable, Equatable {
    /// The seq; 0 when unknown.
    public var seq: Int64
    /// The server's time in milliseconds; 0 when unknown.
    public var sendTime: Int64
    /// The server's id of the send; empty when unknown.
    public var serverMsgID: String
  }

  /// Marks that facts of their own set, such as deletions.
  public var marks: MessageMarks
  /// How far acknowledgements vouch for it.
  public var evidence: ServerEvidence
  /// The edit that stands.
  public var edit: StoredMessage.Edit?
  /// Who has read it, in the order of their ids.
  public var readers: [Reader]
  /// The number of readers that copies report.
  public var reportedReaders: Int64
  /// The reading time that copies report; 0 for none.
  public var reportedReadTime: Int64
  /// Seconds a private message stays after reading; 0 when the message names none.
  public var burnDuration: Int64
  /// Where an acknowledgement puts it.
  public var acknowledgement: Place?
  /// The number of the latest attempt to send it; 0 when none is known.
  public var attempt: Int64
  /// How far that attempt went.
  public var step: SendFact.Step?
  /// The application's own words on it.
  public var localEx: String
  /// The setting that gave it those words; 0 for none.
  public var localRevision: Int64
  /// A recall that named it by seq.
  public var recall: RecallRecord?

  init(_ amendments: Amendments) {
    marks = amendments.marks
    evidence = amendments.evidence
    edit = amendments.edit.map { .init(version: $0.version, time: $0.time, editorID: $0.editorID) }
    readers = amendments.readers.map { Reader(userID: $0.key.text, time: $0.value) }
      .sorted { $0.userID.utf8Precedes($1.userID) }
    reportedReaders = amendments.reportedReaders
    reportedReadTime = amendments.reportedReadTime
    burnDuration = amendments.burnDuration
    acknowledgement = amendments.acknowledgement.map { Place($0) }
    attempt = amendments.attempt?.number ?? 0
    step = amendments.attempt?.step
    localEx = amendments.local?.text ?? ""
    localRevision = amendments.local?.revision ?? 0
    recall = amendments.recall
  }
}

extension MessageKnowledge.Place {
  init(_ placement: Placement) {
    self.init(seq: placement.seq, sendTime: placement.sendTime, serverMsgID: placement.serverMsgID)
  }
}
