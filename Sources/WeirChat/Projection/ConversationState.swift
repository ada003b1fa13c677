/// What the store keeps about one conversation, while a transaction works on it. One object for each conversation, since
/// every message of a transaction looks at it and changes it in place.
final class ConversationState {
  /// What a list shows and sorts by.
  struct Summary: Equatable {
    /// Messages that count: neither filtered nor quiet, nor cleared with the conversation's place in the list.
    var messageCount: Int64 = 0
    var unread: Int64 = 0
    var lastMessage: Int64?
    var lastTime: Int64 = 0
    var lastSeq: Int64 = 0
    /// Own messages to be shown that the server has not placed.
    var pending: Int64 = 0
    var isPinned = false
    var receiveOption: Int64 = 0
    var draftTime: Int64 = 0
    /// Seqs that exist, may hold unread messages, and have not been fetched.
    var unfetched: Int64 = 0

    /// Whether a list shows the conversation.
    var isListed: Bool { messageCount > 0 || draftTime > 0 }
    /// Whether the conversation counts in the totals.
    var isInTotal: Bool { isListed && receiveOption != ConversationFact.ReceiveOption.quiet.rawValue }
    /// What the conversation adds to the totals.
    var inTotal: (unread: Int64, unfetched: Int64) { isInTotal ? (unread, unfetched) : (0, 0) }
    /// What a list sorts by.
    var sortTime: Int64 { max(lastTime, draftTime) }
  }

  let id: Int64
  let key: String
  let sessionType: Int64
  private(set) var original: Summary
  private(set) var originalMarks: ConversationMarks
  /// The revision of the latest change before this transaction.
  private(set) var oldRevision: Int64
  var summary: Summary
  var marks: ConversationMarks
  /// Client ids of which something is known without their message.
  var idTargets: Int64
  /// The greatest seq by which something is known of a message.
  var seqTargets: Int64
  /// The revision of this transaction's change, once there is one.
  var revision: Int64?
  var kinds: ChangeKinds = []
  var changed: [(row: Int64, clientMsgID: String)] = []
  /// Whether the row must be written although nothing that is compared has changed.
  var isDirty = false
  /// Whether the last message must be looked for, because the one noted has moved or gone.
  var mustFindLast = false
  /// Whether all messages must be counted anew, because a clear has moved.
  var mustRecount = false
  /// Whether private messages may have come to an end.
  var mustBurn = false

  /// The state as a row holds it.
  init(
    id: Int64, key: String, sessionType: Int64, summary: Summary, marks: ConversationMarks, revision: Int64,
    idTargets: Int64, seqTargets: Int64
  ) {
    (self.id, self.key, self.sessionType) = (id, key, sessionType)
    (original, self.summary) = (summary, summary)
    (originalMarks, self.marks) = (marks, marks)
    oldRevision = revision
    (self.idTargets, self.seqTargets) = (idTargets, seqTargets)
  }

  /// Ends a transaction's work: what it left is what the next one starts from.
  func settle() {
    original = summary
    originalMarks = marks
    oldRevision = revision ?? oldRevision
    revision = nil
    kinds = []
    changed.removeAll(keepingCapacity: true)
    (isDirty, mustFindLast, mustRecount, mustBurn) = (false, false, false, false)
  }

  /// Takes in how a row changed: `before` is nil for a new row.
  func note(_ id: Int64, before: RowStanding?, after: RowStanding) {
    summary.messageCount += (after.counts ? 1 : 0) - (before?.counts ?? false ? 1 : 0)
    summary.unread += (after.isUnread ? 1 : 0) - (before?.isUnread ?? false ? 1 : 0)
    summary.pending += (after.isPending ? 1 : 0) - (before?.isPending ?? false ? 1 : 0)
    if after.isPending || before?.isPending ?? false { mustFindLast = true }
    guard let last = summary.lastMessage else {
      // A cleared conversation keeps the time of its messages, which a late one may move.
      if after.isVisible { take(id, after) } else { mustFindLast = true }
      return
    }
    let noted = (summary.lastTime, summary.lastSeq)
    if last == id {
      if !after.isVisible || noted != (after.sendTime, after.seq) { mustFindLast = true }
    } else if after.isVisible {
      if noted < (after.sendTime, after.seq) {
        take(id, after)
      } else if noted == (after.sendTime, after.seq) {
        mustFindLast = true
      }
    }
  }

  /// What changed, with what follows for the list from the changed rows.
  var allKinds: ChangeKinds {
    var kinds = kinds
    if summary.unread != original.unread || summary.unfetched != original.unfetched { kinds.insert(.unread) }
    let place = (summary.lastMessage, summary.lastTime, summary.lastSeq)
    if place != (original.lastMessage, original.lastTime, original.lastSeq)
      || summary.isListed != original.isListed
    {
      kinds.insert(.summary)
    }
    if marks != originalMarks {
      if marks.readSeq != originalMarks.readSeq { kinds.insert(.read) }
      if marks.clearedSeq != originalMarks.clearedSeq || marks.clearedTime != originalMarks.clearedTime {
        kinds.insert(.cleared)
      }
      if marks.missing != originalMarks.missing { kinds.insert(.gaps) }
    }
    return kinds
  }

  /// Whether the row has to be written.
  var mustSave: Bool { isDirty || revision != nil || summary != original || marks != originalMarks }

  private func take(_ id: Int64, _ row: RowStanding) {
    summary.lastMessage = id
    summary.lastTime = row.sendTime
    summary.lastSeq = row.seq
  }
}

/// How a row bears on its conversation.
struct RowStanding {
  let sendTime: Int64
  let seq: Int64
  let counts: Bool
  let isVisible: Bool
  let isUnread: Bool
  let isPending: Bool

  /// Marks that keep a row from being the last message.
  static let outsideSummary = MessageMarks.hidden.union([.quiet, .unlisted])
  /// Marks that keep a row from being counted.
  static let uncounted: MessageMarks = [.filtered, .quiet, .unlisted]
  /// Marks that keep a row from being unread.
  static let notUnread = MessageMarks.hidden.union([.quiet, .uncounted, .read, .readByReceipt, .recalled])

  /// The standing of a row under the marks of its conversation.
  init(_ row: MessageRow, isMine: Bool, _ marks: ConversationMarks) {
    (sendTime, seq) = (row.sendTime, row.seq)
    let isPlaced = row.evidence > 0
    let isCleared = marks.clears(seq: seq, sendTime: sendTime, isPlaced: isPlaced)
    counts =
      row.marks.isDisjoint(with: Self.uncounted)
      && !marks.hides(seq: seq, sendTime: sendTime, isPlaced: isPlaced)
    isVisible = row.marks.isDisjoint(with: Self.outsideSummary) && !isCleared
    isUnread =
      !isMine && row.marks.isDisjoint(with: Self.notUnread) && !isCleared && !(seq > 0 && seq <= marks.readSeq)
    isPending = isMine && !isPlaced && sendTime == 0 && isVisible
  }
}
