import WeirChat

/// What waits for messages that have not come.
struct OrphanSection: InspectSection {
  let facts: [OrphanFact]
  let isComplete: Bool

  func lines(width: Int) -> [String] {
    guard !facts.isEmpty else { return ["nothing waits for a message"] }
    var table = TextTable([.init("conversation", shrinksTo: 48), .init("message that has not come", shrinksTo: 48)])
    for fact in facts { table.append([fact.conversationID ?? "(any)", fact.name]) }
    let rows = table.lines(width: width)
    var lines = Array(rows.prefix(1))
    for (row, fact) in zip(rows.dropFirst(), facts) {
      lines.append(row)
      lines += fact.words.map { "    " + printable($0) }
    }
    return lines + (isComplete ? [] : ["and more; --limit N shows more"])
  }

  func write(to writer: inout JSONWriter) {
    writer.key("orphans")
    writer.beginArray()
    for fact in facts { fact.write(to: &writer) }
    writer.endArray()
    writer.field("orphansComplete", isComplete)
  }
}

extension OrphanFact {
  /// The message it waits for.
  var name: String {
    switch target {
    case .clientMsgID(let id): id
    case .seq(let seq): "seq \(seq)"
    }
  }

  /// What is known, in words.
  var words: [String] {
    if let known { return KnowledgeWords.sentences(known) }
    return recall.map { [KnowledgeWords.text($0)] } ?? parts
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let conversationID { writer.field("conversationID", conversationID) }
    switch target {
    case .clientMsgID(let id): writer.field("clientMsgID", id)
    case .seq(let seq): writer.field("seq", seq)
    }
    writer.key("parts")
    writer.beginArray()
    for part in parts { writer.string(part) }
    writer.endArray()
    if let known {
      writer.key("known")
      known.write(to: &writer)
    } else if let recall {
      writer.key("recall")
      recall.write(to: &writer)
    }
    writer.endObject()
  }
}
