/// What is known of a message beside its copies: edits, deletions, receipts, what became of its sending, the
/// application's own words (receiving spec §2.7). Facts name their message by client id or by the seq of any twin; both
/// kinds of knowledge are values of this type and join when the message turns out to be the same.
///
/// The join is commutative, associative and idempotent in each field.
struct Amendments: Sendable, Equatable {
  /// Union.
  var marks: MessageMarks = []
  /// Maximum.
  var evidence = ServerEvidence.none
  /// Maximum by (version, time, editor, content).
  var edit: EditVersion?
  /// Who has read it and the earliest known time: set union, smallest non-zero time.
  var readers: [ByteKey: Int64] = [:]
  /// The number of readers that copies report: maximum.
  var reportedReaders: Int64 = 0
  /// The reading time that copies report: smallest non-zero.
  var reportedReadTime: Int64 = 0
  /// Seconds a private message stays after reading: smallest non-zero.
  var burnDuration: Int64 = 0
  /// Where acknowledgements put it: the canonical one.
  var acknowledgement: Placement?
  /// The seqs that acknowledgements named: union. They become the message's own when it is there.
  var seqs: Set<Int64> = []
  /// The local attempt to send it: maximum by (number, step).
  var attempt: SendAttempt?
  /// Maximum by (revision, text).
  var local: LocalSetting?
  /// A recall that named it by seq: minimum.
  var recall: RecallRecord?

  /// Whether nothing is known.
  var isEmpty: Bool {
    marks.isEmpty && evidence == .none && edit == nil && readers.isEmpty && reportedReaders == 0
      && reportedReadTime == 0 && burnDuration == 0 && acknowledgement == nil && seqs.isEmpty && attempt == nil
      && local == nil && recall == nil
  }

  /// Takes in what another value knows.
  mutating func join(_ other: Amendments) {
    marks.formUnion(other.marks)
    evidence = max(evidence, other.evidence)
    edit = Self.greater(edit, other.edit)
    if !other.readers.isEmpty { readers.merge(other.readers, uniquingKeysWith: EarliestTime.join) }
    reportedReaders = max(reportedReaders, other.reportedReaders)
    reportedReadTime = EarliestTime.join(reportedReadTime, other.reportedReadTime)
    burnDuration = EarliestTime.join(burnDuration, other.burnDuration)
    if let theirs = other.acknowledgement, acknowledgement.map({ theirs.precedes($0) }) ?? true {
      acknowledgement = theirs
    }
    seqs.formUnion(other.seqs)
    attempt = Self.greater(attempt, other.attempt)
    local = Self.greater(local, other.local)
    if let theirs = other.recall { recall = recall.map { min($0, theirs) } ?? theirs }
  }

  private static func greater<Value: Comparable>(_ left: Value?, _ right: Value?) -> Value? {
    guard let left, let right else { return left ?? right }
    return max(left, right)
  }
}

/// An edit of a message's content.
struct EditVersion: Sendable, Comparable {
  /// Counts edits from 1.
  var version: Int64
  /// Milliseconds since 1970.
  var time: Int64
  /// Who edited.
  var editorID: String
  /// The new content; its `seq` is 0.
  var body: BodyVersion

  static func == (left: EditVersion, right: EditVersion) -> Bool { !(left < right) && !(right < left) }

  /// Orders by version, time, editor, and then the content itself, so that only equal edits are a draw.
  static func < (left: EditVersion, right: EditVersion) -> Bool {
    if left.version != right.version { return left.version < right.version }
    if left.time != right.time { return left.time < right.time }
    if !left.editorID.utf8Equals(right.editorID) { return left.editorID.utf8Precedes(right.editorID) }
    return left.body < right.body
  }
}

/// How far a local attempt to send a message went.
struct SendAttempt: Sendable, Comparable {
  /// Counts attempts from 1.
  var number: Int64
  /// The farthest step of the attempt.
  var step: SendFact.Step

  static func < (left: SendAttempt, right: SendAttempt) -> Bool {
    (left.number, left.step) < (right.number, right.step)
  }
}

/// The application's data on a message.
struct LocalSetting: Sendable, Comparable {
  /// Counts the settings of this client.
  var revision: Int64
  /// The data.
  var text: String

  static func == (left: LocalSetting, right: LocalSetting) -> Bool {
    left.revision == right.revision && left.text.utf8Equals(right.text)
  }

  static func < (left: LocalSetting, right: LocalSetting) -> Bool {
    left.revision == right.revision ? left.text.utf8Precedes(right.text) : left.revision < right.revision
  }
}
