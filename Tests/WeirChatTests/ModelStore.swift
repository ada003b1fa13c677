@testable import WeirChat

/// What the store should hold, worked out from the set of all facts at once: no order, no state, no joins.
struct ModelStore {
  let account: String
  private var copies: [MessageKey: [ChatMessage]] = [:]
  private var recalls: [RecallFact] = []

  init(account: String, facts: [Fact]) {
    self.account = account
    for fact in facts {
      switch fact {
      case .message(let message): copies[message.key, default: []].append(message)
      case .recall(let recall):
        recalls.append(recall)
        if let original = recall.original { copies[original.key, default: []].append(original) }
      default: break  // BASE
      }
    }
  }

  /// A message as it should be shown.
  struct Row: Equatable {
    var id: String
    var seq: Int64
    var sendTime: Int64
    var serverMsgID: String
    var evidence: ServerEvidence
    var marks: MessageMarks
    var display: StoredMessage.Display

    var order: (Int64, Int64, String) { (sendTime, seq, id) }
    var isHidden: Bool { marks.contains(.deletedForSelf) || marks.contains(.filtered) }
    var isQuiet: Bool { marks.contains(.quiet) }
  }

  /// A conversation as it should be listed.
  struct Conversation: Equatable {
    var id: String
    var unread: Int
    var last: Row?
  }

  var conversations: [Conversation] {
    Set(copies.keys.map(\.conversationID)).map { id in
      let rows = all(in: id)
      return (
        Conversation(
          id: id, unread: rows.count(where: { isUnread($0.row, $0.sender) }),
          last: rows.map(\.row).filter { !$0.isHidden && !$0.isQuiet }.max { $0.order < $1.order }),
        rows.contains { !$0.row.marks.contains(.filtered) && !$0.row.isQuiet }
      )
    }.filter(\.1).map(\.0).sorted {
      let times = ($0.last?.sendTime ?? 0, $1.last?.sendTime ?? 0)
      return times.0 == times.1 ? $0.id < $1.id : times.0 > times.1
    }
  }

  /// The messages to show in a conversation, newest first.
  func messages(in conversation: String) -> [Row] {
    all(in: conversation).map(\.row).filter { !$0.isHidden }.sorted { $0.order > $1.order }
  }

  private func all(in conversation: String) -> [(row: Row, sender: String)] {
    copies.filter { $0.key.conversationID == conversation }.map { row($0.key, $0.value) }
  }

  private func row(_ key: MessageKey, _ copies: [ChatMessage]) -> (row: Row, sender: String) {
    let first = copies.min { rank($0) < rank($1) } ?? copies[0]
    let marks = copies.reduce(into: MessageMarks()) { $0.formUnion($1.marks) }
    let records = recalls.filter { recall in
      guard recall.clientMsgID == key.clientMsgID else { return false }
      switch recall.target {
      case .conversation(let id): return id == key.conversationID
      case .anywhere(let session, let sender):
        return (session == nil || session == SessionType(conversationID: key.conversationID))
          && (sender.isEmpty || sender == first.envelope.senderID)
      }
    }.map(\.record)
    let record = records.min {
      ($0.time == 0 ? .max : $0.time, $0.revokerID, $0.revokerRole, $0.seq)
        < ($1.time == 0 ? .max : $1.time, $1.revokerID, $1.revokerRole, $1.seq)
    }
    let content = copies.filter { $0.body != .absent }.min { contentRank($0) < contentRank($1) }?.content
    let display: StoredMessage.Display =
      record.map { .recalled($0) } ?? .content(content ?? .placeholder(contentType: first.contentType))
    return (
      Row(
        id: key.clientMsgID, seq: first.envelope.seq, sendTime: first.envelope.sendTime,
        serverMsgID: first.envelope.serverMsgID, evidence: copies.map(\.evidence).max() ?? .none,
        marks: record == nil ? marks : marks.union(.recalled), display: display), first.envelope.senderID
    )
  }

  private func isUnread(_ row: Row, _ sender: String) -> Bool {
    sender != account && !row.isHidden && !row.isQuiet && !row.marks.contains(.read) && !row.marks.contains(.recalled)
  }

  private func rank(_ copy: ChatMessage) -> (Int64, Int64, String) {
    (copy.envelope.seq == 0 ? .max : copy.envelope.seq, copy.envelope.sendTime, copy.envelope.serverMsgID)
  }

  private func contentRank(_ copy: ChatMessage) -> (Int, Int64, String) {
    switch copy.body {
    case .element(let bytes): (0, rank(copy).0, String(decoding: bytes, as: UTF8.self))
    case .line(let bytes): (1, rank(copy).0, String(decoding: bytes, as: UTF8.self))
    case .absent: (2, rank(copy).0, "")
    }
  }
}
