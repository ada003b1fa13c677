import WeirChat

/// An explanation in words: what holds, then what makes it so.
struct RowWords {
  private let row: RowExplanation
  private var message: StoredMessage { row.message }

  init(_ row: RowExplanation) { self.row = row }

  /// Labelled sentences; what there is nothing to say of is left out.
  var paragraphs: [(label: String, sentences: [String])] {
    let all = [
      ("shows", [state]), ("content", content), ("from", [sender]), ("place", place), ("copies", copies),
      ("server", [KnowledgeWords.evidence(row.evidence)]), ("marks", KnowledgeWords.marks(row.marks)),
      ("edit", edits), ("recall", recalls), ("read", readings), ("sending", sending), ("private", burning),
      ("cleared", clears), ("local", local), ("by seq", bySeq), ("revision", ["\(message.revision)"]),
    ]
    return all.filter { !$0.1.isEmpty }.map { (label: $0.0, sentences: $0.1) }
  }

  /// What it is to its reader, and why.
  var state: String {
    let state = message.state.rawValue
    switch message.state {
    case .hidden:
      return "\(state): in no list, because \(row.hiddenReasons.map(reason).joined(separator: ", and "))"
    case .recalled: return "\(state): a recall names it, and the server has it; the content is not shown any more"
    case .sent, .delivered, .read:
      let wasRead = message.evidence > row.evidence ? ", and it was read" : ""
      return "\(state): \(KnowledgeWords.evidence(row.evidence))\(wasRead)"
    case .queued:
      let step = row.known.step == nil ? "no attempt to send it is known" : "its latest attempt waits in the outbox"
      return "\(state): the server does not have it, and \(step)" + held
    case .sending: return "\(state): an attempt is under way" + held
    case .failed: return "\(state): the latest attempt was given up, and the server does not have it" + held
    case .cancelled: return "\(state): withdrawn before the server had it" + held
    }
  }

  private var held: String {
    message.marks.contains(.recalled) ? "; a recall is held until the server has it" : ""
  }

  private func reason(_ reason: RowExplanation.HiddenReason) -> String {
    switch reason {
    case .deletedForSelf: "the account deleted it"
    case .deletedForAll: "it was deleted for everybody"
    case .filtered: "a copy says that it is not to be shown"
    case .burned: "it was private and its time has come"
    case .clearedBySeq: "the conversation was cleared up to seq \(row.clearedSeq)"
    case .clearedByTime: "the conversation was cleared up to \(Humane.time(row.clearedTime))"
    }
  }

  private var content: [String] {
    guard row.hasContent else { return ["no copy brought any content (type \(row.contentType))"] }
    let form = row.isContentExpanded ? "" : ", kept as the line it came in, because it was not understood then"
    let source = row.contentSeq > 0 ? ", from the copy with seq \(row.contentSeq)" : ""
    return ["type \(row.contentType)\(source)\(form)", "reads: \(message.preview)"]
  }

  private var sender: String {
    let envelope = message.envelope
    let name = envelope.senderNickname.isEmpty ? "" : " (\(envelope.senderNickname))"
    let receiver = envelope.receiverID.isEmpty ? "" : " to \(envelope.receiverID)"
    return "\(envelope.senderID)\(name)\(receiver)\(message.isMine ? ", the account itself" : "")"
      + ", written\(KnowledgeWords.at(envelope.createTime)) by the sender's clock"
  }

  private var place: [String] {
    var words = ["canonical: \(KnowledgeWords.text(row.place))"]
    if row.copy != row.place {
      words.append("its copy names: \(KnowledgeWords.text(row.copy))")
    }
    if let place = row.known.acknowledgement { words.append("an acknowledgement names: \(KnowledgeWords.text(place))") }
    if message.sortTime != message.envelope.sendTime {
      words.append("stands provisionally at \(Humane.time(message.sortTime)), until the server places it")
    }
    return words
  }

  private var copies: [String] {
    guard !row.otherSeqs.isEmpty else { return [] }
    return ["the server gave it further seqs: \(row.otherSeqs.map { "\($0)" }.joined(separator: ", "))"]
  }

  private var edits: [String] {
    row.known.edit.map { [KnowledgeWords.text($0) + "; the greatest version stands"] } ?? []
  }

  private var recalls: [String] {
    var words = row.recalls.map { recall in
      var scope = recall.conversationID ?? "any conversation"
      if let type = recall.sessionType, recall.conversationID == nil { scope += " of kind \(type)" }
      if !recall.senderID.isEmpty { scope += ", sender \(recall.senderID)" }
      return KnowledgeWords.text(recall.record) + "; told by client id for \(scope)"
        + (recall.covers ? "" : ", which is not this message")
    }
    if let recall = row.known.recall { words.append(KnowledgeWords.text(recall) + "; told by seq") }
    return words
  }

  private var readings: [String] {
    var words: [String] = []
    let account = message.key.account
    for mark in row.readMarks {
      let reader = mark.userID == account ? "the account" : mark.userID
      words.append("\(reader) has read up to seq \(mark.upToSeq)" + KnowledgeWords.at(mark.time))
    }
    for reader in row.known.readers {
      let name = reader.userID == account ? "the account" : reader.userID
      words.append("receipt of \(name)" + KnowledgeWords.at(reader.time))
    }
    if row.known.reportedReaders > 0 { words.append("copies report \(row.known.reportedReaders) readers") }
    if row.known.reportedReadTime > 0 {
      words.append("copies report a reading at \(Humane.time(row.known.reportedReadTime))")
    }
    if message.isMine {
      if message.readerCount > 0 { words.append("so \(message.readerCount) others have read it") }
    } else {
      words.append(
        message.marks.contains(.read)
          ? "so the account has read it" : "the account has not read it, only up to seq \(row.ownReadSeq)")
    }
    return words
  }

  private var sending: [String] {
    guard let step = row.known.step else { return [] }
    var words = ["attempt \(row.known.attempt): \(step)"]
    if message.wasCancelledTooLate { words.append("withdrawn too late: the server had it already") }
    return words
  }

  private var burning: [String] {
    guard message.marks.contains(.isPrivate) else { return [] }
    let own = row.known.burnDuration > 0 ? "stays \(row.known.burnDuration) s after it was read" : "names no duration"
    return [own, message.burnDeadline.map { "hidden from \(Humane.time($0)) on" } ?? "no deadline yet"]
  }

  private var clears: [String] {
    guard row.clearedSeq > 0 || row.clearedTime > 0 else { return [] }
    let marks = [
      row.clearedSeq > 0 ? "seq \(row.clearedSeq)" : nil,
      row.clearedTime > 0 ? Humane.time(row.clearedTime) : nil,
    ].compactMap { $0 }
    let reaches = row.hiddenReasons.contains(.clearedBySeq) || row.hiddenReasons.contains(.clearedByTime)
    return [
      "the conversation is cleared up to \(marks.joined(separator: " and "))\(reaches ? "" : ", which does not reach it")"
    ]
  }

  private var local: [String] {
    row.known.localRevision > 0 ? ["setting \(row.known.localRevision): \(row.known.localEx)"] : []
  }

  private var bySeq: [String] {
    row.bySeq.map { entry in
      "told of seq \(entry.seq): \(KnowledgeWords.sentences(entry.known).joined(separator: "; "))"
    }
  }
}
