import WeirHistory

/// The dead letters that were asked for once more.
struct ReplaySection: InspectSection {
  let letters: [HistoryDeadLetter]

  func lines(width: Int) -> [String] {
    letters.map { letter in
      "\(printable(letter.author)) tries transaction \(Humane.count(letter.seq)) again with its next pass; "
        + (letter.attempts == 0
          ? "a hook rejected it" : "it was given up after \(Humane.count(letter.attempts, "attempt"))")
        + ": \(printable(letter.reason))"
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("replays")
    writer.beginArray()
    for letter in letters {
      writer.beginObject()
      writer.field("author", letter.author)
      writer.field("seq", letter.seq)
      writer.field("attempts", letter.attempts)
      writer.field("reason", letter.reason)
      writer.endObject()
    }
    writer.endArray()
  }
}
