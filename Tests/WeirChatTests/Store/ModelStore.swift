@testable import WeirChat

/// What the store should hold, worked out from the set of all facts at once: no order, no state, no joins.
struct ModelStore {
  let account: String
  private let facts: [Fact]
  private let copies: [MessageKey: [ChatMessage]]

  init(account: String, facts: [Fact]) {
    self.account = account
    self.facts = facts
    copies = Dictionary(
      grouping: facts.compactMap {
        switch $0 {
        case .message(let message): message
        case .recall(let recall): recall.original
        default: nil
        }
      }, by: \.key)
  }

  /// A message as it should be shown.
  struct Row: Equatable {
    var id: String
    var seq: Int64
    var sendTime: Int64
    var serverMsgID: String
    var evidence: ServerEvidence
    var marks: MessageMarks
    var state: MessageDisplayState
    var display: StoredMessage.Display
    var hasReadTime: Int64
    var readerCount: Int
    var localEx: String
    var sortTime: Int64

    var order: (Int64, Int64, String) { (sortTime, seq, id) }
  }

  /// A conversation as it should be listed.
  struct Conversation: Equatable {
    var id: String
    var unread: Int
    var unfetched: Int64
    var last: Row?
    var isPinned: Bool
    var draft: String
  }

  var conversations: [Conversation] {
    conversationIDs.compactMap { id in
      let (rows, properties) = (all(in: id), properties(id))
      let isListed = rows.contains {
        $0.row.marks.isDisjoint(with: [.filtered, .quiet, .unlisted]) && !$0.isHiddenByClear
      }
      guard isListed || properties.draftTime > 0 else { return nil }
      let last = rows.filter { $0.row.state != .hidden && $0.row.marks.isDisjoint(with: [.quiet, .unlisted]) }.map(
        \.row
      )
      .max { $0.order < $1.order }
      let cleared =
        rows.filter { $0.row.marks.isDisjoint(with: [.quiet, .unlisted, .deletedForSelf, .deletedForAll, .filtered]) }
        .filter { !$0.isHiddenByClear }.map(\.row.sendTime).max() ?? 0
      let time = max(last?.sortTime ?? cleared, properties.draftTime)
      let line = Conversation(
        id: id, unread: rows.count { $0.isUnread },
        unfetched: missing(in: id, aboveRead: true).reduce(0) { $0 + Int64($1.count) },
        last: last, isPinned: properties.isPinned, draft: properties.draft)
      return (line, time)
    }.sorted { (left: (line: Conversation, time: Int64), right) in
      if left.line.isPinned != right.0.isPinned { return left.line.isPinned }
      return left.time == right.1 ? left.line.id < right.0.id : left.time > right.1
    }.map(\.0)
  }

  var totalUnread: Int {
    conversations.filter { properties($0.id).receiveOption != .quiet }.reduce(0) { $0 + $1.unread }
  }

  /// The messages to show in a conversation, newest first.
  func messages(in conversation: String) -> [Row] {
    all(in: conversation).map(\.row).filter { $0.state != .hidden }.sorted { $0.order > $1.order }
  }

  /// Seqs to fetch, as ranges.
  func missing(in conversation: String, aboveRead: Bool = false) -> [ClosedRange<Int64>] {
    let known = Set(copies.keys.filter { $0.conversationID == conversation }.flatMap { seqs($0) })
    var taken = known.map { $0...$0 }
    var last = known.max() ?? 0
    for case .seqs(let fact) in facts where fact.conversationID == conversation {
      taken += fact.closed + fact.answered + (fact.serverMinSeq > 1 ? [1...(fact.serverMinSeq - 1)] : [])
      last = max(last, fact.serverMaxSeq)
    }
    let floor = max(clears(conversation).map(\.upToSeq).max() ?? 0, aboveRead ? watermark(conversation, account) : 0)
    var (next, gaps) = (floor + 1, [ClosedRange<Int64>]())
    for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound >= next {
      if range.lowerBound > last { break }
      if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
      next = range.upperBound + 1
    }
    return next <= last ? gaps + [next...last] : gaps
  }

  // MARK: Parts

  private var conversationIDs: Set<String> {
    Set(copies.keys.map(\.conversationID) + facts.map(\.conversationID).filter { !$0.isEmpty })
  }

  private func clears(_ conversation: String) -> [ClearFact] {
    facts.compactMap { if case .clear(let clear) = $0, clear.conversationID == conversation { clear } else { nil } }
  }

  private func reads(_ conversation: String) -> [ReadFact] {
    facts.compactMap { if case .read(let read) = $0, read.conversationID == conversation { read } else { nil } }
  }

  private func watermark(_ conversation: String, _ reader: String) -> Int64 {
    reads(conversation).filter { $0.readerID == reader }.map(\.upToSeq).max() ?? 0
  }

  private func sends(_ key: MessageKey) -> [SendFact.Event] {
    facts.compactMap {
      if case .send(let send) = $0, send.clientMsgID == key.clientMsgID, send.conversationID == key.conversationID {
        send.event
      } else {
        nil
      }
    }
  }

  func properties(_ conversation: String) -> ConversationProperties {
    var settings: [Int64: (Int64, [UInt8], ConversationFact.Property)] = [:]
    for case .conversation(let fact) in facts where fact.conversationID == conversation {
      for property in fact.properties {
        if let known = settings[property.number] {
          if known.0 > fact.revision { continue }
          if known.0 == fact.revision, !known.1.lexicographicallyPrecedes(property.bytes) { continue }
        }
        settings[property.number] = (fact.revision, property.bytes, property)
      }
    }
    var properties = ConversationProperties()
    for (_, _, property) in settings.values { properties.set(property) }
    return properties
  }

  private func placements(_ key: MessageKey) -> [Placement] {
    (copies[key] ?? []).map(\.envelope.placement)
      + sends(key).compactMap {
        guard case .acknowledged(let id, let time, let seq) = $0 else { return nil }
        return Placement(seq: seq, sendTime: time, serverMsgID: id)
      }
  }

  private func seqs(_ key: MessageKey) -> Set<Int64> { Set(placements(key).map(\.seq).filter { $0 > 0 }) }

  private func rank(_ place: Placement) -> (Int64, Int64, Int, String) {
    (
      place.seq == 0 ? .max : place.seq, place.sendTime == 0 ? .max : place.sendTime, place.serverMsgID.isEmpty ? 1 : 0,
      place.serverMsgID
    )
  }

  private struct Known {
    var row: Row
    var isUnread: Bool
    var isHiddenByClear: Bool
    var createTime: Int64
    var isMine: Bool
    var wasSentHere: Bool
  }

  private func all(in conversation: String) -> [Known] {
    var rows = copies.keys.filter { $0.conversationID == conversation }.map { known($0) }
    let shown = rows.filter { $0.row.state != .hidden && $0.row.marks.isDisjoint(with: [.quiet, .unlisted]) }
    let isPending = { (row: Known) in row.isMine && row.row.evidence == .none && row.row.sendTime == 0 }
    let newest = shown.filter { !isPending($0) }.map(\.row.sendTime).max() ?? 0
    let waiting = rows.indices.filter { isPending(rows[$0]) && rows[$0].row.state != .hidden }
      .sorted { (rows[$0].createTime, rows[$0].row.id) < (rows[$1].createTime, rows[$1].row.id) }
    let order = waiting.map { index in
      let time = rows[index].createTime
      return (
        createTime: time,
        cap: rows.filter { $0.isMine && $0.wasSentHere && $0.createTime > time && $0.row.sendTime > 0 }
          .min { ($0.createTime, $0.row.id) < ($1.createTime, $1.row.id) }?.row.sendTime
      )
    }
    for (index, time) in zip(waiting, PendingOrder.times(order, newest: newest)) { rows[index].row.sortTime = time }
    return rows
  }

  private func known(_ key: MessageKey) -> Known {
    let copies = copies[key] ?? []
    let (places, seqs, sends) = (placements(key), seqs(key), sends(key))
    let place = places.min { rank($0) < rank($1) } ?? Placement()
    let first = copies.min { $0.envelope.precedes($1.envelope) } ?? copies[0]
    let isMine = first.envelope.senderID == account
    let names = { (target: MessageReference) in
      switch target {
      case .clientMsgID(let id): id == key.clientMsgID
      case .seq(let seq): seqs.contains(seq)
      }
    }
    var marks = copies.reduce(into: MessageMarks()) { $0.formUnion($1.marks) }
    var evidence = copies.map(\.evidence).max() ?? .none
    if places.contains(where: { $0.seq > 0 || !$0.serverMsgID.isEmpty }) { evidence = max(evidence, .sent) }
    var (attempt, edit, local): (SendAttempt?, EditFact?, LocalFact?)
    for event in sends {
      switch event {
      case .acknowledged: evidence = max(evidence, .sent)
      case .delivered: evidence = max(evidence, .delivered)
      case .attempt(let number, let step):
        attempt = max(attempt ?? SendAttempt(number: .min, step: .queued), SendAttempt(number: number, step: step))
      }
    }
    var records: [RecallRecord] = []
    for fact in facts {
      switch fact {
      case .delete(let delete)
      where delete.conversationID == key.conversationID && delete.targets.contains(where: names):
        marks.insert(delete.scope == .forSelf ? .deletedForSelf : .deletedForAll)
      case .edit(let next) where next.conversationID == key.conversationID && names(next.target):
        let content = { (fact: EditFact) in "\(fact.body)" }
        if let known = edit,
          (next.version, next.time, next.editorID, content(next))
            <= (known.version, known.time, known.editorID, content(known))
        {
          continue
        }
        edit = next
      case .local(let next) where next.conversationID == key.conversationID && next.clientMsgID == key.clientMsgID:
        if let known = local, (next.revision, next.localEx) <= (known.revision, known.localEx) { continue }
        local = next
      case .recall(let recall) where covers(recall, key, first.envelope.senderID, seqs): records.append(recall.record)
      default: break
      }
    }
    if !records.isEmpty { marks.insert(.recalled) }
    let reading = reading(key, place.seq, isMine: isMine, peer: first.envelope.receiverID, names)
    let isGroup = SessionType(conversationID: key.conversationID)?.isGroup ?? false
    if reading.isRead || marks.contains(.read) { marks.insert(.read) }
    if isMine, !isGroup, marks.contains(.read), evidence != .none { evidence = .read }
    let clears = clears(key.conversationID)
    let covered = { (clear: ClearFact) in
      place.seq > 0 && place.seq <= clear.upToSeq
        || place.sendTime > 0 && place.sendTime <= clear.upToTime && evidence != .none
    }
    let isHidden = marks.isHidden || clears.contains(where: covered)
    let state = MessageDisplayState(
      isHidden: isHidden, isRecalled: marks.contains(.recalled), evidence: evidence, step: attempt?.step)
    let record =
      evidence == .none
      ? nil : records.min { ($0.time == 0 ? .max : $0.time, $0) < ($1.time == 0 ? .max : $1.time, $1) }
    let row = Row(
      id: key.clientMsgID, seq: place.seq, sendTime: place.sendTime, serverMsgID: place.serverMsgID,
      evidence: evidence, marks: marks, state: state,
      display: record.map { .recalled($0) } ?? .content(content(copies, edit, first)), hasReadTime: reading.time,
      readerCount: isMine ? reading.others : 0, localEx: local?.localEx ?? "", sortTime: place.sendTime)
    let isUnread = !isMine && !isHidden && marks.isDisjoint(with: [.read, .recalled, .quiet, .uncounted])
    return Known(
      row: row, isUnread: isUnread, isHiddenByClear: clears.filter(\.hidesConversation).contains(where: covered),
      createTime: first.envelope.createTime, isMine: isMine,
      wasSentHere: sends.contains { if case .delivered = $0 { false } else { true } })
  }

  private func reading(
    _ key: MessageKey, _ seq: Int64, isMine: Bool, peer: String, _ names: (MessageReference) -> Bool
  ) -> (isRead: Bool, time: Int64, others: Int) {
    var (isRead, times, others) = (false, [Int64](), Set<String>())
    for read in reads(key.conversationID) {
      let isSingle = read.messages.contains(where: names)
      let isCovered = seq > 0 && seq <= read.upToSeq
      guard isSingle || isCovered else { continue }
      if read.readerID != account { others.insert(read.readerID) }
      // Of a group only single receipts tell that an own message has been read.
      guard (read.readerID == account) != isMine, isSingle || !isMine || read.readerID == peer else { continue }
      isRead = true
      if read.time > 0 { times.append(read.time) }
    }
    return (isRead, times.min() ?? 0, others.count)
  }

  private func covers(_ recall: RecallFact, _ key: MessageKey, _ sender: String, _ seqs: Set<Int64>) -> Bool {
    switch recall.target {
    case .conversation(let id):
      let isNamed =
        recall.clientMsgID.isEmpty ? seqs.contains(recall.record.seq) : recall.clientMsgID == key.clientMsgID
      return id == key.conversationID && isNamed
    case .anywhere(let session, let revoked):
      return recall.clientMsgID == key.clientMsgID
        && (session == nil || session == SessionType(conversationID: key.conversationID))
        && (revoked.isEmpty || revoked == sender)
    }
  }

  private func content(_ copies: [ChatMessage], _ edit: EditFact?, _ first: ChatMessage) -> MessageContent {
    if let edit, case .element(let bytes) = edit.body {
      return bytes.withUnsafeBufferPointer {
        ElementDecoder(account: account, senderID: first.envelope.senderID).expand(edit.contentType, $0, 0..<$0.count)
      } ?? .placeholder(contentType: edit.contentType)
    }
    let best = copies.filter { $0.body != .absent }.min { contentRank($0) < contentRank($1) }
    return best?.content ?? .placeholder(contentType: first.contentType)
  }

  private func contentRank(_ copy: ChatMessage) -> (Int, Int64, Int32, String) {
    let seq = copy.envelope.seq == 0 ? Int64.max : copy.envelope.seq
    return switch copy.body {
    case .element(let bytes): (0, seq, copy.contentType, String(decoding: bytes, as: UTF8.self))
    case .line(let bytes): (1, seq, copy.contentType, String(decoding: bytes, as: UTF8.self))
    case .absent: (2, seq, copy.contentType, "")
    }
  }
}
