/// The outer object of a push or an answer: messages by conversation, only located, and what it says of seqs.
struct WireAnswer {
  struct Group {
    var conversationID: String
    var messages: [Range<Int>] = []
    var isEnd = false
  }

  /// What the server knows of the seqs of a conversation.
  struct Seqs {
    var conversationID: String
    var max: Int64 = 0
    var min: Int64 = 0
    var hasRead: Int64 = 0

    func facts(_ account: String) -> [Fact] {
      var facts: [Fact] = []
      if max > 0 || min > 0 {
        facts.append(
          .seqs(SeqFact(account: account, conversationID: conversationID, serverMaxSeq: max, serverMinSeq: min)))
      }
      if hasRead > 0 {
        facts.append(
          .read(ReadFact(account: account, conversationID: conversationID, readerID: account, upToSeq: hasRead)))
      }
      return facts
    }
  }

  private(set) var groups: [Group] = []
  /// Without entries that say nothing.
  private(set) var seqs: [Seqs] = []
  /// Whether a key was there that makes it an answer.
  private(set) var isKnown = false
  private var parts = 0
  private var seqIndex: [ByteKey: Int] = [:]

  /// Whether it has no more parts than are accepted.
  var isPartLimitKept: Bool { parts <= Payload.partLimit }

  /// Reads an object that was checked before.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes)
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "msgs", "notificationMsgs":
        isKnown = true
        try readMap(&reader) { (answer, id, reader) throws(JSONError) in try answer.readGroup(id, &reader) }
      case "maxSeqs":
        isKnown = true
        try readMap(&reader) { (answer, id, reader) throws(JSONError) in
          answer.seqs[answer.index(id)].max = max(0, try reader.int64(acceptsText: true))
        }
      case "minSeqs":
        isKnown = true
        try readMap(&reader) { (answer, id, reader) throws(JSONError) in
          answer.seqs[answer.index(id)].min = max(0, try reader.int64(acceptsText: true))
        }
      case "seqs":
        isKnown = true
        try readMap(&reader) { (answer, id, reader) throws(JSONError) in try answer.readSeqs(id, &reader) }
      default: try reader.skipValue()
      }
    }
    seqs.removeAll { $0.max == 0 && $0.min == 0 && $0.hasRead == 0 }
  }

  private mutating func readMap(
    _ reader: inout JSONReader,
    _ read: (inout WireAnswer, String, inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    if try reader.skipNull() { return }
    try reader.beginObject()
    while let name = try reader.nextName() {
      parts += 1
      if isPartLimitKept { try read(&self, name.string, &reader) } else { try reader.skipValue() }
    }
  }

  private mutating func readGroup(_ id: String, _ reader: inout JSONReader) throws(JSONError) {
    var group = Group(conversationID: id)
    if try reader.skipNull() { return }
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "Msgs", "msgs":
        if try reader.skipNull() { break }
        try reader.beginArray()
        while try reader.nextElement() {
          let range = try reader.skipValue()
          parts += 1
          if isPartLimitKept { group.messages.append(range) }
        }
      case "isEnd": group.isEnd = try reader.bool()
      default: try reader.skipValue()
      }
    }
    groups.append(group)
  }

  private mutating func readSeqs(_ id: String, _ reader: inout JSONReader) throws(JSONError) {
    let index = index(id)
    if try reader.skipNull() { return }
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "maxSeq": seqs[index].max = max(0, try reader.int64(acceptsText: true))
      case "minSeq": seqs[index].min = max(0, try reader.int64(acceptsText: true))
      case "hasReadSeq": seqs[index].hasRead = max(0, try reader.int64(acceptsText: true))
      default: try reader.skipValue()
      }
    }
  }

  private mutating func index(_ id: String) -> Int {
    if let index = seqIndex[ByteKey(text: id)] { return index }
    seqIndex[ByteKey(text: id)] = seqs.count
    seqs.append(Seqs(conversationID: id))
    return seqs.count - 1
  }
}
