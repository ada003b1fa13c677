import WeirChat

/// A long, repeatable stream of facts: the messages of a ``ChatScript`` with edits, recalls, receipts, deletions, sendings
/// and knowledge of seqs among them, some ahead of their message.
public enum FactScript {
  /// `count` facts of the stream of `seed`, in order of delivery.
  public static func facts(seed: UInt64, count: Int, conversations: Int = 12) throws -> [Fact] {
    let decoder = OpenIMCallbackDecoder(account: ChatScript.account)
    var random = SeededRandom(seed ^ 0x5EED)
    var recent: [ChatMessage] = []
    var facts: [Fact] = []
    facts.reserveCapacity(count)
    for line in ChatScript.lines(seed: seed, count: count, conversations: conversations) {
      guard let fact = try decoder.decode(line).fact else { continue }
      if case .message(let message) = fact {
        // Now and then what happens to a message comes before it.
        if random.once(in: 12) { facts.append(event(message, &random)) }
        recent.append(message)
        if recent.count > 40 { recent.removeFirst() }
      }
      facts.append(fact)
      if !recent.isEmpty && random.once(in: 3) { facts.append(event(random.pick(recent), &random)) }
      if facts.count >= count { break }
    }
    return Array(facts.prefix(count))
  }

  private static func event(_ message: ChatMessage, _ random: inout SeededRandom) -> Fact {
    let (account, conversation) = (message.key.account, message.key.conversationID)
    let seq = message.envelope.seq
    let target: MessageReference =
      seq > 0 && random.once(in: 2) ? .seq(seq) : .clientMsgID(message.key.clientMsgID)
    let time = message.envelope.sendTime + Int64(random.below(9_000))
    switch random.below(10) {
    case 0, 1, 2:
      return .edit(
        EditFact(
          account: account, conversationID: conversation, target: target, version: Int64(1 + random.below(3)),
          time: time, editorID: message.envelope.senderID, contentType: 101,
          body: .element(Array(#"{"content":"edited"}"#.utf8))))
    case 3:
      return .recall(
        RecallFact(
          account: account, target: .conversation(conversation), clientMsgID: seq > 0 ? "" : message.key.clientMsgID,
          record: RecallRecord(time: time, revokerID: message.envelope.senderID, seq: seq)))
    case 4, 5:
      return .read(
        ReadFact(
          account: account, conversationID: conversation, readerID: random.once(in: 2) ? account : "reader",
          upToSeq: seq, messages: [target], time: time))
    case 6:
      return .delete(DeleteFact(account: account, conversationID: conversation, targets: [target]))
    case 7:
      return .send(
        SendFact(
          account: account, conversationID: conversation, clientMsgID: message.key.clientMsgID,
          event: .acknowledged(serverMsgID: message.envelope.serverMsgID, sendTime: time, seq: seq)))
    case 8:
      return .seqs(
        SeqFact(
          account: account, conversationID: conversation, answered: [max(seq - 3, 1)...max(seq, 1)],
          serverMaxSeq: seq + 2))
    default:
      return .conversation(
        ConversationFact(
          account: account, conversationID: conversation, revision: time,
          properties: [.draft("draft \(random.below(9))", time: time), .isPinned(random.once(in: 2))]))
    }
  }
}
