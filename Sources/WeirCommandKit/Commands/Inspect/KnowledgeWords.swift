import WeirChat

/// What is known of a message, in words.
enum KnowledgeWords {
  /// One sentence for each thing known.
  static func sentences(_ known: MessageKnowledge) -> [String] {
    var words: [String] = []
    if let recall = known.recall { words.append(text(recall)) }
    if let edit = known.edit { words.append(text(edit)) }
    words += marks(known.marks)
    if known.evidence != .none { words.append("an acknowledgement: \(evidence(known.evidence))") }
    if let place = known.acknowledgement { words.append("an acknowledgement puts it at \(text(place))") }
    if let step = known.step { words.append("attempt \(known.attempt) to send it: \(step)") }
    for reader in known.readers { words.append("read by \(reader.userID)" + at(reader.time)) }
    if known.reportedReaders > 0 { words.append("copies report \(known.reportedReaders) readers") }
    if known.reportedReadTime > 0 { words.append("copies report a reading at \(Humane.time(known.reportedReadTime))") }
    if known.burnDuration > 0 { words.append("burns \(known.burnDuration) s after it was read") }
    if known.localRevision > 0 {
      words.append("the application's words, setting \(known.localRevision): \(known.localEx)")
    }
    return words
  }

  /// Marks, each in words; `recalled` is left to the recalls.
  static func marks(_ marks: MessageMarks) -> [String] {
    let names: [(MessageMarks, String)] = [
      (.read, "marked as read by a copy"), (.deletedForSelf, "deleted for this account"),
      (.deletedForAll, "deleted for everybody"), (.filtered, "not to be shown (filtered)"),
      (.quiet, "quiet: no effect on summary and unread number"), (.isPrivate, "private: burns after reading"),
      (.burned, "burned"), (.uncounted, "does not count as unread"), (.unlisted, "does not move its conversation"),
    ]
    return names.filter { marks.contains($0.0) }.map(\.1)
  }

  static func text(_ recall: RecallRecord) -> String {
    "recalled by \(recall.revokerID.isEmpty ? "somebody unknown" : recall.revokerID)" + at(recall.time)
      + (recall.revokerRole > 0 ? ", role \(recall.revokerRole)" : "") + (recall.isByAdmin ? ", as administrator" : "")
      + (recall.seq > 0 ? ", naming seq \(recall.seq)" : "")
  }

  static func text(_ edit: StoredMessage.Edit) -> String {
    "edited by \(edit.editorID)\(at(edit.time)), version \(edit.version)"
  }

  static func text(_ place: MessageKnowledge.Place) -> String {
    let parts = [
      place.seq > 0 ? "seq \(place.seq)" : "no seq", place.sendTime > 0 ? Humane.time(place.sendTime) : "no time",
      place.serverMsgID.isEmpty ? "no server id" : "server id \(place.serverMsgID)",
    ]
    return parts.joined(separator: ", ")
  }

  static func evidence(_ evidence: ServerEvidence) -> String {
    switch evidence {
    case .none: "the server does not have it, as far as is known"
    case .sent: "the server has it"
    case .delivered: "a device of the receiver has it"
    case .read: "the receiver has read it"
    }
  }

  static func at(_ time: Int64) -> String { time > 0 ? " at \(Humane.time(time))" : " at an unknown time" }
}
