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
  let found = listed.map { ModelStore.Conversation(id: $0.conversationID, unread: $0.unread, last: $0.last.map(row)) }
  #expect(found == expected, comment, sourceLocation: sourceLocation)
  let totals = try await store.totals().value
  #expect(totals.unread == expected.reduce(0) { $0 + $1.unread }, comment, sourceLocation: sourceLocation)
  #expect(totals.conversations == expected.count, comment, sourceLocation: sourceLocation)
  for conversation in expected {
    var messages: [StoredMessage] = []
    repeat {
      let page = try await store.messages(in: conversation.id, before: messages.last?.position, limit: 7).value
      if page.isEmpty { break }
      messages += page
    } while true
    #expect(messages.map(row) == model.messages(in: conversation.id), comment, sourceLocation: sourceLocation)
  }
}

private func row(_ message: StoredMessage) -> ModelStore.Row {
  ModelStore.Row(
    id: message.key.clientMsgID, seq: message.envelope.seq, sendTime: message.envelope.sendTime,
    serverMsgID: message.envelope.serverMsgID, evidence: message.evidence, marks: message.marks,
    display: message.display)
}
