import WeirStore

/// Whether the party who did not send a message has read it, and when, from all that is known: marks of copies, single
/// receipts, watermarks (receiving spec §2.7).
final class ReadingLookup {
  let watermarks: WatermarkTable
  private let strings: InternedStrings
  private let account: ByteKey
  /// The number of the own user id among the texts.
  private let me: Int64
  private var isView = false
  private var last: (conversation: Int64, reader: Int64, seqs: ClosedRange<Int64>, isRead: Bool, time: Int64)?

  init(watermarks: WatermarkTable, strings: InternedStrings, account: String, me: Int64) {
    self.watermarks = watermarks
    self.strings = strings
    self.account = ByteKey(text: account)
    self.me = me
  }

  /// The reading of a message: by the account when another sent it, by the peer when the account did. Of a group only
  /// single receipts and copies tell a time; who else has read it is counted apart.
  func reading(
    _ state: MessageState, conversation: Int64, isMine: Bool
  ) throws(StoreError) -> (isRead: Bool, time: Int64) {
    let amendments = state.amendments
    var isRead = state.marks.contains(.read) || amendments.reportedReadTime > 0
    var time = amendments.reportedReadTime
    for (reader, when) in amendments.readers where (reader == account) != isMine {
      isRead = true
      time = EarliestTime.join(time, when)
    }
    let peer = isMine ? try strings.existing(state.envelope.receiverID) ?? 0 : me
    if peer != 0, !isMine || peer != me {
      let mark = try covering(conversation, reader: peer, seq: state.placement.seq)
      isRead = isRead || mark.isRead
      if mark.isRead { time = EarliestTime.join(time, mark.time) }
    }
    return (isRead, time)
  }

  /// The mark that covers a seq. While one state of the file is looked at, a mark found serves all seqs down to the one
  /// before it: a page of messages mostly lies under a few marks.
  private func covering(
    _ conversation: Int64, reader: Int64, seq: Int64
  ) throws(StoreError) -> (isRead: Bool, time: Int64) {
    guard isView else { return try watermarks.reading(conversation, reader: reader, seq: seq) }
    if let last, last.conversation == conversation, last.reader == reader, last.seqs.contains(seq) {
      return (last.isRead, last.time)
    }
    let found = try watermarks.span(conversation, reader: reader, seq: seq)
    last = (conversation, reader, found.seqs, found.isRead, found.time)
    return (found.isRead, found.time)
  }

  /// Forgets the last mark, at the start of each look at the file.
  func beginView() {
    isView = true
    last = nil
  }

  /// The moment from which a private message is hidden; nil for others, and as long as it has not been read.
  func burnDeadline(
    _ state: MessageState, conversation: Int64, isMine: Bool, defaultDuration: Int64
  ) throws(StoreError) -> Int64? {
    guard state.marks.contains(.isPrivate) else { return nil }
    let duration = state.amendments.burnDuration > 0 ? state.amendments.burnDuration : defaultDuration
    let reading = try reading(state, conversation: conversation, isMine: isMine)
    return BurnRule.deadline(
      sendTime: state.placement.sendTime, isRead: reading.isRead, readTime: reading.time, burnDuration: duration)
  }
}
