extension Fact {
  /// Why the store of `account` cannot take the fact; nil when it can.
  func refusal(account: String) -> CommitResult.Reason? {
    if !self.account.utf8Equals(account) { return .otherAccount }
    switch self {
    case .message(let message):
      if message.key.clientMsgID.isEmpty { return .emptyClientMsgID }
    case .recall(let recall):
      if case .conversation(let id) = recall.target {
        if recall.clientMsgID.isEmpty && recall.record.seq <= 0 { return .emptyClientMsgID }
        return id.isEmpty ? .emptyConversationID : nil
      }
      return recall.clientMsgID.isEmpty ? .emptyClientMsgID : nil
    case .edit(let edit):
      if !edit.target.isValid { return .emptyTarget }
    case .delete(let delete):
      if delete.targets.isEmpty || !delete.targets.allSatisfy(\.isValid) { return .emptyTarget }
    case .read(let read):
      let isEmpty = read.upToSeq <= 0 && read.messages.isEmpty
      if read.readerID.isEmpty || isEmpty || !read.messages.allSatisfy(\.isValid) { return .emptyTarget }
    case .send, .local:
      if clientMsgID.isEmpty { return .emptyClientMsgID }
    case .social(let social): return social.entityID.isEmpty ? .emptyTarget : nil
    case .mediaTask(let task): return task.taskID.isEmpty ? .emptyTarget : nil
    case .clear, .seqs, .conversation: break
    }
    return conversationID.isEmpty ? .emptyConversationID : nil
  }
}
