import WeirStore

extension Fact {
  /// A hash over everything in the fact that can change what is stored. Only an exact redelivery has the same one: a
  /// copy that differs in seq, status or read mark tells something new and must reach the store.
  public var dedupeKey: Hash128 {
    var hash = FixedHash()
    switch self {
    case .message(let message):
      hash.add(1 as Int64)
      hash.add(message)
    case .recall(let recall):
      hash.add(2 as Int64)
      hash.add(recall)
    case .edit(let edit):
      hash.add(3 as Int64)
      hash.add(edit)
    case .delete(let delete):
      hash.add(4 as Int64)
      hash.add(delete.account, delete.conversationID)
      hash.add(delete.targets)
      hash.add(delete.scope.rawValue)
    case .clear(let clear):
      hash.add(5 as Int64)
      hash.add(clear.account, clear.conversationID)
      hash.add(clear.upToSeq)
      hash.add(clear.upToTime)
      hash.add(clear.hidesConversation)
    case .read(let read):
      hash.add(6 as Int64)
      hash.add(read.account, read.conversationID, read.readerID)
      hash.add(read.upToSeq)
      hash.add(read.messages)
      hash.add(read.time)
    case .send(let send):
      hash.add(7 as Int64)
      hash.add(send)
    case .seqs(let seqs):
      hash.add(8 as Int64)
      hash.add(seqs.account, seqs.conversationID)
      hash.add(seqs.closed)
      hash.add(seqs.answered)
      hash.add(seqs.serverMaxSeq)
      hash.add(seqs.serverMinSeq)
    case .conversation(let conversation):
      hash.add(9 as Int64)
      hash.add(conversation.account, conversation.conversationID)
      hash.add(conversation.revision)
      for property in conversation.properties {
        hash.add(property.number)
        hash.add(property.bytes)
      }
    case .social(let social):
      hash.add(10 as Int64)
      hash.add(social.account, social.scopeID, social.entityID)
      hash.add(social.scope.rawValue)
      hash.add(social.revision)
      hash.add(social.isRemoved)
      hash.add(social.payload)
    case .mediaTask(let task):
      hash.add(11 as Int64)
      hash.add(task.account, task.taskID)
      hash.add(task.revision)
      hash.add(task.state.rawValue)
      hash.add(task.nativeState)
      hash.add(task.payload)
    case .local(let local):
      hash.add(12 as Int64)
      hash.add(local.account, local.conversationID, local.clientMsgID)
      hash.add(local.revision)
      hash.add(local.localEx)
    }
    return hash.value()
  }
}

extension FixedHash {
  /// Adds all of a message. The expanded content follows from the body, so the body alone stands for it.
  mutating func add(_ message: ChatMessage) {
    add(message.key.account, message.key.conversationID, message.key.clientMsgID)
    add(message.envelope)
    add(message.evidence.rawValue)
    add(message.marks.rawValue)
    add(BodyVersion(message))
  }

  mutating func add(_ envelope: Envelope) {
    add(envelope.seq)
    add(envelope.sendTime)
    add(envelope.serverMsgID)
    add(envelope.createTime)
    add(envelope.senderID)
    add(envelope.receiverID)
    add(Int64(envelope.platformID))
    add(Int64(envelope.origin))
    add(envelope.senderNickname)
    add(envelope.senderFaceURL)
    add(envelope.ex)
    add(envelope.attachedInfo)
  }

  mutating func add(_ body: BodyVersion) {
    add(body.form.rawValue)
    add(body.seq)
    add(Int64(body.contentType))
    add(body.bytes)
  }

  mutating func add(_ record: RecallRecord) {
    add(record.time)
    add(record.revokerID)
    add(Int64(record.revokerRole))
    add(record.isByAdmin)
    add(record.seq)
  }

  /// Adds everything in key order, so that equal values have equal hashes.
  mutating func add(_ amendments: Amendments) {
    add(amendments.marks.rawValue)
    add(amendments.evidence.rawValue)
    add(amendments.edit != nil)
    if let edit = amendments.edit {
      add(edit.version)
      add(edit.time)
      add(edit.editorID)
      add(edit.body)
    }
    add(Int64(amendments.readers.count))
    for (reader, time) in amendments.readers.sorted(by: { $0.key.text.utf8Precedes($1.key.text) }) {
      add(reader.text)
      add(time)
    }
    add(amendments.reportedReaders)
    add(amendments.reportedReadTime)
    add(amendments.burnDuration)
    add(amendments.acknowledgement != nil)
    if let placement = amendments.acknowledgement {
      add(placement.seq)
      add(placement.sendTime)
      add(placement.serverMsgID)
    }
    add(Int64(amendments.seqs.count))
    for seq in amendments.seqs.sorted() { add(seq) }
    add(amendments.attempt?.number ?? -1)
    add(amendments.attempt?.step.rawValue ?? -1)
    add(amendments.local?.revision ?? -1)
    add(amendments.local?.text ?? "")
    add(amendments.recall != nil)
    if let recall = amendments.recall { add(recall) }
  }

  fileprivate mutating func add(_ texts: String...) {
    for text in texts { add(text) }
  }

  fileprivate mutating func add(_ recall: RecallFact) {
    add(recall.account)
    switch recall.target {
    case .conversation(let id):
      add(1 as Int64)
      add(id)
    case .anywhere(let session, let senderID):
      add(2 as Int64)
      add(Int64(session?.rawValue ?? 0))
      add(senderID)
    }
    add(recall.clientMsgID)
    add(recall.record)
    add(recall.original != nil)
    if let original = recall.original { add(original) }
  }

  fileprivate mutating func add(_ edit: EditFact) {
    add(edit.account, edit.conversationID)
    add([edit.target])
    add(edit.version)
    add(edit.time)
    add(edit.editorID)
    add(BodyVersion(edit.body, seq: 0, contentType: edit.contentType))
  }

  fileprivate mutating func add(_ send: SendFact) {
    add(send.account, send.conversationID, send.clientMsgID)
    switch send.event {
    case .attempt(let number, let step):
      add(1 as Int64)
      add(number)
      add(step.rawValue)
    case .acknowledged(let serverMsgID, let sendTime, let seq):
      add(2 as Int64)
      add(serverMsgID)
      add(sendTime)
      add(seq)
    case .delivered(let time):
      add(3 as Int64)
      add(time)
    }
  }

  fileprivate mutating func add(_ references: [MessageReference]) {
    add(Int64(references.count))
    for reference in references {
      switch reference {
      case .clientMsgID(let id):
        add(1 as Int64)
        add(id)
      case .seq(let seq):
        add(2 as Int64)
        add(seq)
      }
    }
  }

  fileprivate mutating func add(_ ranges: [ClosedRange<Int64>]) {
    add(Int64(ranges.count))
    for range in ranges {
      add(range.lowerBound)
      add(range.upperBound)
    }
  }
}
