import ChatFixtures
import Testing
import WeirStore

@testable import WeirChat

/// The facts of callback lines.
func facts(_ lines: [[UInt8]]) throws -> [Fact] {
  let decoder = OpenIMCallbackDecoder(account: ChatScript.account)
  return try lines.compactMap { try decoder.decode($0).fact }
}

/// A store of the fixtures' account.
func openStore(_ path: String) async throws(StoreError) -> SQLiteMessageStore {
  try await .open(path: path, account: ChatScript.account)
}

/// Every order of the elements.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
  guard elements.count > 1 else { return [elements] }
  return elements.indices.flatMap { index in
    var rest = elements
    let first = rest.remove(at: index)
    return permutations(rest).map { [first] + $0 }
  }
}

/// Where two lists differ first, in words; nil when they are equal.
func firstDifference<Element: Equatable>(_ found: [Element], _ expected: [Element]) -> String? {
  for index in 0..<max(found.count, expected.count) {
    let left = index < found.count ? found[index] : nil
    let right = index < expected.count ? expected[index] : nil
    if left != right {
      return "at \(index) found \(left.map { "\($0)" } ?? "nothing"), expected \(right.map { "\($0)" } ?? "nothing")"
    }
  }
  return nil
}

/// The store holds what the model says, by every query, and its counters agree with its rows.
func expectAgreement(
  _ store: SQLiteMessageStore, _ model: ModelStore, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let audit = try await store.audit().value
  #expect(audit.isEmpty, comment, sourceLocation: sourceLocation)
  let expected = model.conversations
  var listed: [ConversationSummary] = []
  repeat {
    let page = try await store.conversations(after: listed.last?.position, limit: 5).value
    if page.isEmpty { break }
    listed += page
  } while true
  #expect(
    firstDifference(listed.map { ModelStore.Conversation($0) }, expected) == nil, comment,
    sourceLocation: sourceLocation)
  let totals = try await store.totals().value
  #expect(totals.unread == model.totalUnread, comment, sourceLocation: sourceLocation)
  #expect(totals.conversations == expected.count, comment, sourceLocation: sourceLocation)
  for conversation in expected {
    var messages: [StoredMessage] = []
    repeat {
      let page = try await store.messages(in: conversation.id, before: messages.last?.position, limit: 7).value
      if page.isEmpty { break }
      messages += page
    } while true
    let rows = model.messages(in: conversation.id)
    #expect(firstDifference(messages.map { ModelStore.Row($0) }, rows) == nil, comment, sourceLocation: sourceLocation)
    let gaps = try await store.gaps(in: conversation.id).value.ranges
    #expect(gaps == model.missing(in: conversation.id), comment, sourceLocation: sourceLocation)
  }
}

extension ModelStore.Row {
  init(_ message: StoredMessage) {
    self.init(
      id: message.key.clientMsgID, seq: message.envelope.seq, sendTime: message.envelope.sendTime,
      serverMsgID: message.envelope.serverMsgID, evidence: message.evidence, marks: message.marks,
      state: message.state, display: message.display, hasReadTime: message.hasReadTime,
      readerCount: message.readerCount, localEx: message.localEx, sortTime: message.sortTime)
  }
}

extension ModelStore.Conversation {
  init(_ line: ConversationSummary) {
    self.init(
      id: line.conversationID, unread: line.unread, unfetched: line.unfetched,
      last: line.last.map { ModelStore.Row($0) }, isPinned: line.properties.isPinned, draft: line.properties.draft)
  }
}
