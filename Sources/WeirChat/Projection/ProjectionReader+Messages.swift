import WeirStore

/// Messages as a reader sees them.
extension ProjectionReader {
  /// A conversation while its messages are read.
  final class Place {
    let id: Int64
    let key: String
    let sessionType: Int64
    let marks: ConversationMarks
    /// How far each of the others has read, in ascending order; looked up once, when an own message asks.
    var peerMarks: [(reader: Int64, seq: Int64)]?
    var burnDuration: Int64?

    init(_ state: ConversationState) {
      (id, key, sessionType, marks) = (state.id, state.key, state.sessionType, state.marks)
    }
  }

  func message(_ key: String, _ clientMsgID: String) throws(StoreError) -> StoredMessage? {
    guard let id = try conversationTable.existing(key),
      let (row, stored) = try messageTable.find(conversation: id, clientID: StoredID(clientMsgID))
    else { return nil }
    let state = try conversationTable.load(id)
    var sortTime = stored.sendTime
    if stored.sendTime == 0, stored.evidence == 0 {
      let pending = try counts.pendingTimes(id, state.marks, without: MessageMarks.hidden.rawValue)
      sortTime = pending.first { $0.id == row }?.time ?? 0
    }
    return try message(row, stored, in: Place(state), sortTime: sortTime)
  }

  /// A page before or after a place, newest first.
  func messages(
    in key: String, _ direction: PageDirection, limit: Int
  ) throws(StoreError) -> [StoredMessage] {
    guard limit > 0, let id = try conversationTable.existing(key) else { return [] }
    let state = try conversationTable.load(id)
    let place = Place(state)
    let isBackward = direction.isBackward
    var page: [(place: RowPlace, message: StoredMessage)] = []
    let rows = try rows(state, direction, limit: limit)
    page.reserveCapacity(rows.count)
    for (id, row) in rows {
      page.append((RowPlace(row), try message(id, row, in: place, sortTime: row.sendTime)))
    }
    if state.summary.pending > 0 {
      let start = direction.start
      for (row, time) in try counts.pendingTimes(id, state.marks, without: MessageMarks.hidden.rawValue) {
        guard let (_, stored) = try messageTable.load(row) else { continue }
        let at = RowPlace(time, 0, stored.clientID)
        guard isBackward ? at < start : start < at else { continue }
        page.append((at, try message(row, stored, in: place, sortTime: time)))
      }
      page.sort { isBackward ? $1.place < $0.place : $0.place < $1.place }
    }
    let messages = page.prefix(limit).map(\.message)
    return isBackward ? messages : messages.reversed()
  }

  /// The placed rows of a page in its order.
  private func rows(
    _ state: ConversationState, _ direction: PageDirection, limit: Int
  ) throws(StoreError) -> [(id: Int64, row: MessageRow)] {
    let select = direction.isBackward ? pageBefore : pageAfter
    // One more tells whether the last row has others of its time and seq.
    let most = limit.addingReportingOverflow(Self.mostTied)
    bind(select, state, direction, limit: most.overflow ? .max : most.partialValue)
    defer { select.reset() }
    var rows: [(id: Int64, row: MessageRow)] = []
    var isTied = false
    while try select.step() {
      if let last = rows.last?.row, last.sendTime == select.int64(4), last.seq == select.int64(3) {
        isTied = true
        // As many as there are may follow: SQLite keeps no more of them than the page needs.
        if rows.count == most.partialValue - 1 { return try sortedRows(state, direction, limit: limit) }
      } else if rows.count >= limit {
        break
      }
      rows.append((select.int64(0), try MessageRow(select, 1)))
    }
    if isTied {
      let isBackward = direction.isBackward
      rows.sort { isBackward ? RowPlace($1.row) < RowPlace($0.row) : RowPlace($0.row) < RowPlace($1.row) }
    }
    return rows.count > limit ? Array(rows.prefix(limit)) : rows
  }

  /// How many rows of one time and seq a page sorts itself.
  private static let mostTied = 16

  private func sortedRows(
    _ state: ConversationState, _ direction: PageDirection, limit: Int
  ) throws(StoreError) -> [(id: Int64, row: MessageRow)] {
    let select = direction.isBackward ? sortedPageBefore : sortedPageAfter
    bind(select, state, direction, limit: limit)
    defer { select.reset() }
    var rows: [(id: Int64, row: MessageRow)] = []
    while try select.step() { rows.append((select.int64(0), try MessageRow(select, 1))) }
    return rows
  }

  private func bind(_ select: Statement, _ state: ConversationState, _ direction: PageDirection, limit: Int) {
    let start = direction.start
    select.bind(state.id, at: 1)
    select.bind(state.marks.clearedSeq, at: 2)
    select.bind(state.marks.clearedTime, at: 3)
    select.bind(me, at: 4)
    select.bind(start.time, at: 5)
    select.bind(start.seq, at: 6)
    start.clientID.bind(to: select, at: 7)
    // Bytes sort after texts, and 17 of them after every packed id.
    if case .before(nil) = direction { select.bind([UInt8](repeating: 0xff, count: 17), at: 7) }
    select.bind(Int64(limit), at: 8)
  }

  func message(
    _ id: Int64, _ row: MessageRow, in place: Place, sortTime: Int64
  ) throws(StoreError) -> StoredMessage {
    let state = try row.state(strings)
    let isMine = state.envelope.senderID.utf8Equals(account)
    let reading = try readings.reading(state, conversation: place.id, isMine: isMine)
    var envelope = state.envelope
    envelope.placement = state.placement
    var evidence = state.evidence
    let isGroup = SessionType(rawValue: Int32(truncatingIfNeeded: place.sessionType))?.isGroup ?? false
    if isMine, !isGroup, reading.isRead, evidence != .none { evidence = .read }
    var marks = row.marks
    if marks.remove(.readByReceipt) != nil { marks.insert(.read) }
    marks.remove(.sentHere)
    if !isMine, row.seq > 0, row.seq <= place.marks.readSeq { marks.insert(.read) }
    if isMine, reading.isRead { marks.insert(.read) }
    let isCleared = place.marks.clears(seq: row.seq, sendTime: row.sendTime, isPlaced: row.evidence > 0)
    let amendments = state.amendments
    let display = MessageDisplayState(
      isHidden: marks.isHidden || isCleared, isRecalled: marks.contains(.recalled), evidence: evidence,
      step: amendments.attempt?.step)
    let edit = amendments.edit
    return StoredMessage(
      key: MessageKey(account: account, conversationID: place.key, clientMsgID: row.clientID.string),
      envelope: envelope, evidence: evidence, marks: marks, state: display,
      display: try shown(row, state, display, place),
      edit: edit.map { .init(version: $0.version, time: $0.time, editorID: $0.editorID) },
      hasReadTime: reading.time, readerCount: isMine ? try readerCount(row, state, place) : 0,
      attempt: amendments.attempt?.number ?? 0,
      wasCancelledTooLate: amendments.attempt?.step == .cancelled && state.evidence != .none,
      burnDeadline: try burnDeadline(state, place, isMine: isMine), localEx: amendments.local?.text ?? "",
      sortTime: sortTime, revision: row.revision)
  }

  private func shown(
    _ row: MessageRow, _ state: MessageState, _ display: MessageDisplayState, _ place: Place
  ) throws(StoreError) -> StoredMessage.Display {
    if row.marks.contains(.recalled), state.evidence != .none {
      let scope = RecallTable.Scope(
        conversation: row.conversation, sessionType: place.sessionType, sender: row.sender)
      let records = [try recalls.record(clientID: row.clientID, message: scope), state.amendments.recall]
      return .recalled(records.compactMap { $0 }.min() ?? RecallRecord())
    }
    var content = content(state.amendments.edit?.body ?? state.body, senderID: state.envelope.senderID)
    if case .quote(var quote) = content, !quote.clientMsgID.isEmpty,
      let (_, quoted) = try messageTable.find(conversation: place.id, clientID: StoredID(quote.clientMsgID)),
      quoted.marks.contains(.recalled), quoted.evidence > 0
    {
      // A quote must not show what was taken back.
      quote.contentType = RecallFact.contentType
      content = .quote(quote)
    }
    return .content(content)
  }

  /// Expands stored content. A line that was not understood when it came may be by now.
  private func content(_ body: BodyVersion, senderID: String) -> MessageContent {
    let content: MessageContent? =
      switch body.form {
      case .element:
        body.bytes.withUnsafeBufferPointer {
          ElementDecoder(account: account, senderID: senderID).expand(body.contentType, $0, 0..<$0.count)
        }
      case .line: decoder.content(ofLine: body.bytes)
      case .absent: nil
      }
    return content ?? .placeholder(contentType: body.contentType)
  }

  /// The greater of the number that copies report and the number of others known to have read the message.
  private func readerCount(_ row: MessageRow, _ state: MessageState, _ place: Place) throws(StoreError) -> Int {
    let peers: [(reader: Int64, seq: Int64)]
    if let known = place.peerMarks {
      peers = known
    } else {
      var marks: [(reader: Int64, seq: Int64)] = []
      for reader in try readings.watermarks.readers(place.id) where reader != me {
        marks.append((reader, try readings.watermarks.greatest(place.id, reader: reader)))
      }
      peers = marks.sorted { $0.seq < $1.seq }
      place.peerMarks = peers
    }
    var readers = Set<Int64>()
    if row.seq > 0 { for peer in peers.reversed().prefix(while: { $0.seq >= row.seq }) { readers.insert(peer.reader) } }
    for reader in state.amendments.readers.keys where !reader.text.utf8Equals(account) {
      readers.insert(try strings.existing(reader.text) ?? 0)
    }
    return max(readers.count, Int(clamping: state.amendments.reportedReaders))
  }

  private func burnDeadline(
    _ state: MessageState, _ place: Place, isMine: Bool
  ) throws(StoreError) -> Int64? {
    guard state.marks.contains(.isPrivate) else { return nil }
    if place.burnDuration == nil { place.burnDuration = try propertyTable.properties(place.id).burnDuration }
    return try readings.burnDeadline(
      state, conversation: place.id, isMine: isMine, defaultDuration: place.burnDuration ?? 0)
  }
}

/// Which page of a conversation is meant.
enum PageDirection {
  /// Before a place; nil for the newest page.
  case before(MessagePosition?)
  /// After a place.
  case after(MessagePosition)

  var isBackward: Bool {
    if case .before = self { true } else { false }
  }

  /// Where the page starts.
  fileprivate var start: RowPlace {
    switch self {
    case .before(let position):
      position.map { RowPlace($0) } ?? RowPlace(.max, .max, .packed(PackedID(high: .max, low: .max)))
    case .after(let position): RowPlace(position)
    }
  }
}

/// A place in a conversation in the order of the stored ids.
private struct RowPlace: Comparable {
  let time: Int64
  let seq: Int64
  let clientID: StoredID

  init(_ time: Int64, _ seq: Int64, _ clientID: StoredID) {
    (self.time, self.seq, self.clientID) = (time, seq, clientID)
  }

  init(_ row: MessageRow) { self.init(row.sendTime, row.seq, row.clientID) }

  init(_ position: MessagePosition) {
    self.init(position.sendTime, position.seq, StoredID(position.clientMsgID))
  }

  static func < (left: RowPlace, right: RowPlace) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.seq != right.seq { return left.seq < right.seq }
    return left.clientID < right.clientID
  }
}
