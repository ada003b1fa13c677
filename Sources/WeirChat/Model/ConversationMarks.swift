/// What is known of a conversation as a whole: marks that join as maxima and sets of seqs that join as unions
/// (receiving spec §2.7). They are joined to messages when those are counted or read, so a late message meets them too.
struct ConversationMarks: Sendable, Equatable {
  /// The account has read everything up to this seq.
  var readSeq: Int64 = 0
  /// Cleared up to this seq.
  var clearedSeq: Int64 = 0
  /// Server messages sent at this time or earlier are cleared; milliseconds.
  var clearedTime: Int64 = 0
  /// As `clearedSeq`, by clears that also took the conversation from the list.
  var hiddenSeq: Int64 = 0
  /// As `clearedTime`, by clears that also took the conversation from the list.
  var hiddenTime: Int64 = 0
  /// The greatest seq the server told.
  var serverMax: Int64 = 0
  /// Seqs that a message carries.
  var known = SeqIntervals()
  /// Seqs that will never carry a message, and those of ranges that the server has answered.
  var closed = SeqIntervals()

  /// Takes in a clear.
  mutating func join(_ clear: ClearFact) {
    clearedSeq = max(clearedSeq, clear.upToSeq)
    clearedTime = max(clearedTime, clear.upToTime)
    guard clear.hidesConversation else { return }
    hiddenSeq = max(hiddenSeq, clear.upToSeq)
    hiddenTime = max(hiddenTime, clear.upToTime)
  }

  /// Takes in knowledge of seqs.
  mutating func join(_ seqs: SeqFact) {
    for range in seqs.closed { closed.insert(range) }
    for range in seqs.answered { closed.insert(range) }
    if seqs.serverMinSeq > 1 { closed.insert(1...(seqs.serverMinSeq - 1)) }
    serverMax = max(serverMax, seqs.serverMaxSeq)
  }

  /// Whether a message lies at or below the clear marks. `isPlaced` says whether the server has it.
  func clears(seq: Int64, sendTime: Int64, isPlaced: Bool) -> Bool {
    seq > 0 && seq <= clearedSeq || sendTime > 0 && sendTime <= clearedTime && isPlaced
  }

  /// Whether a message lies at or below a clear that took the conversation from the list.
  func hides(seq: Int64, sendTime: Int64, isPlaced: Bool) -> Bool {
    seq > 0 && seq <= hiddenSeq || sendTime > 0 && sendTime <= hiddenTime && isPlaced
  }

  /// Seqs that exist and are neither known nor closed nor cleared.
  var missing: SeqIntervals { missing(above: clearedSeq) }

  /// Missing seqs that may hold unread messages.
  var unfetched: SeqIntervals { missing(above: max(readSeq, clearedSeq)) }

  private func missing(above floor: Int64) -> SeqIntervals {
    let last = min(max(serverMax, known.last), SeqIntervals.greatest)
    guard floor < last else { return SeqIntervals() }
    let range = (max(floor, 0) + 1)...last
    // Mostly the seqs from the first on are known, and nothing is missing.
    if known.ranges.count == 1, let held = known.ranges.first, held.lowerBound <= range.lowerBound,
      held.upperBound >= last
    {
      return SeqIntervals()
    }
    return known.gaps(in: range).subtracting(closed)
  }
}
