import WeirChat

/// Why a message is what it is.
struct MessageSection: InspectSection {
  let explanations: [RowExplanation]
  /// What names the client id and has no message.
  let waiting: [OrphanFact]

  var isEmpty: Bool { explanations.isEmpty && waiting.isEmpty }

  func lines(width: Int) -> [String] {
    var blocks = explanations.map { explanation in
      ["message \(printable(explanation.message.key.description))"] + layOut(RowWords(explanation).paragraphs)
    }
    blocks += waiting.map { fact in
      ["message \(printable(fact.name)) in \(printable(fact.conversationID ?? "any conversation")) has not come"]
        + layOut([("waiting", fact.words)])
    }
    return Array(blocks.joined(separator: [""]))
  }

  private func layOut(_ paragraphs: [(label: String, sentences: [String])]) -> [String] {
    paragraphs.flatMap { label, sentences in
      sentences.enumerated().map { index, sentence in
        let head = index == 0 ? label : ""
        return "  " + head + String(repeating: " ", count: max(1, 10 - head.count)) + printable(sentence)
      }
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("messages")
    writer.beginArray()
    for explanation in explanations { explanation.write(to: &writer) }
    writer.endArray()
    writer.key("waiting")
    writer.beginArray()
    for fact in waiting { fact.write(to: &writer) }
    writer.endArray()
  }
}
