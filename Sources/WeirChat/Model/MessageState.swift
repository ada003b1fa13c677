/// What is known of one message after any number of copies: a join on a lattice (receiving spec §2.7).
///
/// `joined` is commutative, associative and idempotent, component by component, so neither order nor repetition of
/// copies can change the result. A further component (receipts, edits, clears) is one more field with its own join. Two
/// components live beside it, as tables whose joins are set union and minimum: the seqs of twins, and the recalls.
struct MessageState: Sendable, Equatable {
  /// The envelope of the canonical copy: the one with the smallest seq, see `Envelope.precedes`.
  var envelope: Envelope
  /// The farthest any copy went.
  var evidence: ServerEvidence
  /// Every mark any copy had, without `.recalled`, which follows from the known recalls.
  var marks: MessageMarks
  /// The best content of all copies, see `BodyVersion`.
  var body: BodyVersion

  /// The state after one copy.
  init(_ message: ChatMessage) {
    envelope = message.envelope
    evidence = message.evidence
    marks = message.marks.subtracting(.recalled)
    body = BodyVersion(message)
  }

  /// A state of its components.
  init(envelope: Envelope, evidence: ServerEvidence, marks: MessageMarks, body: BodyVersion) {
    self.envelope = envelope
    self.evidence = evidence
    self.marks = marks
    self.body = body
  }

  /// The state after the copies of both.
  func joined(with other: MessageState) -> MessageState {
    MessageState(
      envelope: other.envelope.precedes(envelope) ? other.envelope : envelope,
      evidence: max(evidence, other.evidence),
      marks: marks.union(other.marks),
      body: min(body, other.body))
  }
}

extension Envelope {
  /// Whether this envelope is the canonical one of the two: smallest seq first, a missing seq or time last, then every
  /// other field, so that only equal envelopes are a draw.
  func precedes(_ other: Envelope) -> Bool {
    if seq != other.seq { return Self.rank(seq) < Self.rank(other.seq) }
    if sendTime != other.sendTime { return Self.rank(sendTime) < Self.rank(other.sendTime) }
    if createTime != other.createTime { return createTime < other.createTime }
    if platformID != other.platformID { return platformID < other.platformID }
    if origin != other.origin { return origin < other.origin }
    for field in [
      \Envelope.serverMsgID, \.senderID, \.receiverID, \.senderNickname, \.senderFaceURL, \.ex, \.attachedInfo,
    ] where !self[keyPath: field].utf8Equals(other[keyPath: field]) {
      return self[keyPath: field].utf8Precedes(other[keyPath: field])
    }
    return false
  }

  private static func rank(_ number: Int64) -> Int64 { number == 0 ? .max : number }
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

  init(_ message: ChatMessage) {
    let (form, bytes): (Form, [UInt8]) =
      switch message.body {
      case .element(let bytes): (.element, bytes)
      case .line(let bytes): (.line, bytes)
      case .absent: (.absent, [])
      }
    self.init(form: form, seq: message.envelope.seq, contentType: message.contentType, bytes: bytes)
  }

  static func < (left: BodyVersion, right: BodyVersion) -> Bool {
    if left.form != right.form { return left.form.rawValue < right.form.rawValue }
    if left.seq != right.seq { return right.seq == 0 || left.seq != 0 && left.seq < right.seq }
    if left.contentType != right.contentType { return left.contentType < right.contentType }
    return left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
