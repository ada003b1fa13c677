/// What is known of one message after any number of facts: a join on a lattice (receiving spec §2.7).
///
/// `joined` is commutative, associative and idempotent, component by component, so neither order nor repetition of
/// facts can change the result. A further component is one more field with its own join. Two components live beside it,
/// as tables whose joins are set union and minimum: the seqs of twins, and the recalls that name no conversation.
struct MessageState: Sendable, Equatable {
  /// The envelope of the canonical copy: the one with the smallest seq, see `Envelope.precedes`.
  var envelope: Envelope
  /// The farthest any copy or acknowledgement went.
  var evidence: ServerEvidence
  /// Every mark any fact set, without those that follow from other knowledge (`MessageMarks.derived`).
  var marks: MessageMarks
  /// The best content of all copies, see `BodyVersion`.
  var body: BodyVersion
  /// What is known beside the copies. Its marks and evidence are empty: they have gone into the fields above; so are its
  /// seqs, which are kept with those of twins.
  var amendments: Amendments

  /// The state after one copy.
  init(_ message: ChatMessage) {
    envelope = message.envelope
    let isPlaced = envelope.seq > 0 || !envelope.serverMsgID.isEmpty
    evidence = isPlaced ? max(message.evidence, .sent) : message.evidence
    marks = message.marks.subtracting(.derived)
    body = BodyVersion(message)
    amendments = Amendments()
    guard !envelope.attachedInfo.isEmpty else { return }
    let attached = AttachedInfo(json: envelope.attachedInfo)
    if attached.isPrivate { marks.insert(.isPrivate) }
    amendments = attached.amendments
  }

  /// A state of its components.
  init(
    envelope: Envelope, evidence: ServerEvidence, marks: MessageMarks, body: BodyVersion, amendments: Amendments
  ) {
    self.envelope = envelope
    self.evidence = evidence
    self.marks = marks
    self.body = body
    self.amendments = amendments
  }

  /// Where the message stands: as its canonical copy or an acknowledgement names it.
  var placement: Placement {
    let copy = envelope.placement
    guard let acknowledgement = amendments.acknowledgement, acknowledgement.precedes(copy) else { return copy }
    return acknowledgement
  }

  /// The state after the copies of both.
  func joined(with other: MessageState) -> MessageState {
    var result = joined(with: other.amendments)
    if other.envelope.precedes(envelope) { result.envelope = other.envelope }
    result.evidence = max(result.evidence, other.evidence)
    result.marks.formUnion(other.marks)
    result.body = min(body, other.body)
    return result
  }

  /// The state after this copy and what else is known of the message.
  func joined(with other: Amendments) -> MessageState {
    var result = self
    result.amendments.join(other)
    result.marks.formUnion(result.amendments.marks)
    result.evidence = max(result.evidence, result.amendments.evidence)
    result.amendments.marks = []
    result.amendments.evidence = .none
    result.amendments.seqs = []
    return result
  }
}

extension Envelope {
  /// Whether this envelope is the canonical one of the two: by its placement, then every other field, so that only equal
  /// envelopes are a draw.
  func precedes(_ other: Envelope) -> Bool {
    let (mine, theirs) = (placement, other.placement)
    if mine != theirs { return mine.precedes(theirs) }
    if createTime != other.createTime { return createTime < other.createTime }
    if platformID != other.platformID { return platformID < other.platformID }
    if origin != other.origin { return origin < other.origin }
    if !senderID.utf8Equals(other.senderID) { return senderID.utf8Precedes(other.senderID) }
    if !receiverID.utf8Equals(other.receiverID) { return receiverID.utf8Precedes(other.receiverID) }
    if !senderNickname.utf8Equals(other.senderNickname) { return senderNickname.utf8Precedes(other.senderNickname) }
    if !senderFaceURL.utf8Equals(other.senderFaceURL) { return senderFaceURL.utf8Precedes(other.senderFaceURL) }
    if !ex.utf8Equals(other.ex) { return ex.utf8Precedes(other.ex) }
    return attachedInfo.utf8Precedes(other.attachedInfo)
  }
}

/// One version of a message's content, ordered so that the smallest is the one to keep: expanded before not
/// understood before absent, then by the seq of its copy, then by its bytes.
struct BodyVersion: Sendable, Equatable, Comparable {
  /// How the content is kept. The raw values are stored.
  enum Form: Int64, Sendable {
    case element = 0
    case line = 1
    case absent = 2
  }

  var form: Form
  /// The seq of the copy it came with; 0 for none.
  var seq: Int64
  var contentType: Int32
  var bytes: [UInt8]

  init(form: Form, seq: Int64, contentType: Int32, bytes: [UInt8]) {
    self.form = form
    self.seq = seq
    self.contentType = contentType
    self.bytes = bytes
  }

  init(_ body: MessageBody, seq: Int64, contentType: Int32) {
    let (form, bytes): (Form, [UInt8]) =
      switch body {
      case .element(let bytes): (.element, bytes)
      case .line(let bytes): (.line, bytes)
      case .absent: (.absent, [])
      }
    self.init(form: form, seq: seq, contentType: contentType, bytes: bytes)
  }

  init(_ message: ChatMessage) {
    self.init(message.body, seq: message.envelope.seq, contentType: message.contentType)
  }

  static func < (left: BodyVersion, right: BodyVersion) -> Bool {
    if left.form != right.form { return left.form.rawValue < right.form.rawValue }
    if left.seq != right.seq { return right.seq == 0 || left.seq != 0 && left.seq < right.seq }
    if left.contentType != right.contentType { return left.contentType < right.contentType }
    return left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
