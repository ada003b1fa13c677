import WeirStore

/// Facts about a conversation as a whole, and what time does.
extension ProjectionWriter {
  func apply(_ clear: ClearFact) throws(StoreError) -> Outcome {
    let conversation = try touch(clear.conversationID)
    guard let before = touched[conversation]?.marks else { return .merged }
    touched[conversation]?.marks.join(clear)
    guard touched[conversation]?.marks != before else { return .merged }
    touched[conversation]?.mustRecount = true
    touched[conversation]?.mustFindLast = true
    return .advanced
  }

  func apply(_ read: ReadFact) throws(StoreError) -> Outcome {
    let conversation = try touch(read.conversationID)
    let isOwn = read.readerID.utf8Equals(account)
    let kind: ChangeKinds = isOwn ? .read : .receipts
    var outcome = Outcome.merged
    if read.upToSeq > 0 {
      let reader = try strings.number(read.readerID)
      if try watermarks.join(conversation, reader: reader, seq: read.upToSeq, time: read.time) {
        outcome = .advanced
        touched[conversation]?.kinds.insert(kind)
        touched[conversation]?.mustBurn = true
        if isOwn { try readOn(conversation, to: read.upToSeq) }
      }
    }
    var amendments = Amendments()
    amendments.readers = [ByteKey(text: read.readerID): max(read.time, 0)]
    let single = try amend(conversation, read.messages, amendments, kind)
    return single.rawValue > outcome.rawValue ? single : outcome
  }

  /// Moves the own watermark; never back.
  private func readOn(_ conversation: Int64, to seq: Int64) throws(StoreError) {
    guard let marks = touched[conversation]?.marks, seq > marks.readSeq else { return }
    let read = try counts.unread(conversation, marks, above: marks.readSeq, upTo: seq)
    touched[conversation]?.summary.unread -= read
    touched[conversation]?.marks.readSeq = seq
  }

  func apply(_ seqs: SeqFact) throws(StoreError) -> Outcome {
    let conversation = try touch(seqs.conversationID)
    guard let before = touched[conversation]?.marks else { return .merged }
    touched[conversation]?.marks.join(seqs)
    return touched[conversation]?.marks == before ? .merged : .advanced
  }

  func apply(_ fact: ConversationFact) throws(StoreError) -> Outcome {
    let conversation = try touch(fact.conversationID)
    let before = try properties.properties(conversation)
    var isNews = false
    for property in fact.properties where try properties.join(property, revision: fact.revision, conversation) {
      isNews = true
    }
    guard isNews else { return .merged }
    let after = try properties.properties(conversation)
    if after != before {
      touched[conversation]?.kinds.insert(.properties)
      touched[conversation]?.summary.isPinned = after.isPinned
      touched[conversation]?.summary.receiveOption = after.receiveOption.rawValue
      touched[conversation]?.summary.draftTime = after.draftTime
      if after.burnDuration != before.burnDuration { touched[conversation]?.mustBurn = true }
    }
    return .advanced
  }

  /// Marks the private messages of a conversation whose time has come.
  func burn(_ conversation: Int64) throws(StoreError) {
    let place = try touch(number: conversation)
    for id in try messages.privateMessages(in: conversation) {
      guard let (_, stored) = try messages.load(id) else { continue }
      let state = try stored.state(strings)
      let after = try row(state, place, stored.clientID)
      guard after.marks != stored.marks else { continue }
      try messages.replace(id, stored, with: after)
      note(id, stored.clientID.string, before: (stored, state), after: after, state, place, .deleted)
    }
  }

  /// Hides the private messages whose time has come at `now`, in milliseconds since 1970. The clock never runs back:
  /// what was hidden stays so.
  func expire(now: Int64) throws(StoreError) {
    guard now > meta.expiredUpTo else { return }
    meta.expiredUpTo = now
    for conversation in try messages.conversationsWithPrivateMessages() {
      try touch(number: conversation)
      touched[conversation]?.mustBurn = true
    }
  }

  /// Turns attempts that were under way when the process ended into failed ones, so that nothing is "sending" for ever.
  func failInterruptedSends() throws(StoreError) {
    for id in try messages.unsentMessages() {
      guard let (_, stored) = try messages.load(id) else { continue }
      guard let attempt = try stored.state(strings).amendments.attempt, attempt.step == .sending else { continue }
      try touch(number: stored.conversation)
      var amendments = Amendments()
      amendments.attempt = SendAttempt(number: attempt.number, step: .failed)
      if try join(id, stored, amendments, .sendState) { result.advanced += 1 }
    }
  }
}
