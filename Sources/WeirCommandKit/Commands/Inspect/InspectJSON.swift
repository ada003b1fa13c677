import WeirChat

extension StoredMessage {
  /// As an object; a recalled message has no preview of its content.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("clientMsgID", key.clientMsgID)
    writer.field("serverMsgID", envelope.serverMsgID)
    writer.field("seq", envelope.seq)
    writer.field("sendTime", envelope.sendTime)
    writer.field("sortTime", sortTime)
    writer.field("senderID", envelope.senderID)
    writer.field("isMine", isMine)
    writer.field("state", state.rawValue)
    writer.field("isRead", marks.contains(.read))
    writer.field("preview", preview)
    if let edit {
      writer.key("edit")
      edit.write(to: &writer)
    }
    if case .recalled(let record) = display {
      writer.key("recall")
      record.write(to: &writer)
    }
    writer.field("revision", revision)
    writer.endObject()
  }
}

extension StoredMessage.Edit {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("version", version)
    writer.field("time", time)
    writer.field("editorID", editorID)
    writer.endObject()
  }
}

extension RecallRecord {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeFields(to: &writer)
    writer.endObject()
  }

  func writeFields(to writer: inout JSONWriter) {
    writer.field("time", time)
    writer.field("revokerID", revokerID)
    writer.field("revokerRole", revokerRole)
    writer.field("isByAdmin", isByAdmin)
    writer.field("seq", seq)
  }
}

extension MessageKnowledge.Place {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("seq", seq)
    writer.field("sendTime", sendTime)
    writer.field("serverMsgID", serverMsgID)
    writer.endObject()
  }
}

extension MessageMarks {
  /// An array of names.
  func write(to writer: inout JSONWriter) {
    let names: [(MessageMarks, String)] = [
      (.read, "read"), (.deletedForSelf, "deletedForSelf"), (.filtered, "filtered"), (.quiet, "quiet"),
      (.recalled, "recalled"), (.isPrivate, "private"), (.burned, "burned"), (.deletedForAll, "deletedForAll"),
      (.uncounted, "uncounted"), (.unlisted, "unlisted"),
    ]
    writer.beginArray()
    for (mark, name) in names where contains(mark) { writer.string(name) }
    writer.endArray()
  }
}

extension MessageKnowledge {
  /// As an object of what is there.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if !marks.isEmpty {
      writer.key("marks")
      marks.write(to: &writer)
    }
    if evidence != .none { writer.field("evidence", "\(evidence)") }
    if let edit {
      writer.key("edit")
      edit.write(to: &writer)
    }
    if !readers.isEmpty {
      writer.key("readers")
      writer.beginArray()
      for reader in readers {
        writer.beginObject()
        writer.field("userID", reader.userID)
        writer.field("time", reader.time)
        writer.endObject()
      }
      writer.endArray()
    }
    if reportedReaders > 0 { writer.field("reportedReaders", reportedReaders) }
    if reportedReadTime > 0 { writer.field("reportedReadTime", reportedReadTime) }
    if burnDuration > 0 { writer.field("burnDuration", burnDuration) }
    if let acknowledgement {
      writer.key("acknowledgement")
      acknowledgement.write(to: &writer)
    }
    if let step {
      writer.field("attempt", attempt)
      writer.field("step", "\(step)")
    }
    if localRevision > 0 { writer.field("localEx", localEx) }
    if let recall {
      writer.key("recall")
      recall.write(to: &writer)
    }
    writer.endObject()
  }
}

extension RowExplanation {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("conversationID", message.key.conversationID)
    writer.key("message")
    message.write(to: &writer)
    writer.field("why", RowWords(self).state)
    writer.key("copy")
    copy.write(to: &writer)
    writer.key("otherSeqs")
    writer.beginArray()
    for seq in otherSeqs { writer.integer(seq) }
    writer.endArray()
    writer.field("evidence", "\(evidence)")
    writer.key("marks")
    message.marks.write(to: &writer)
    writer.field("contentType", contentType)
    writer.field("contentSeq", contentSeq)
    writer.field("hasContent", hasContent)
    writer.field("isContentExpanded", isContentExpanded)
    writer.key("known")
    known.write(to: &writer)
    writer.key("bySeq")
    writer.beginArray()
    for entry in bySeq {
      writer.beginObject()
      writer.field("seq", entry.seq)
      writer.key("known")
      entry.known.write(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.key("recalls")
    writer.beginArray()
    for recall in recalls { recall.write(to: &writer) }
    writer.endArray()
    writer.key("readMarks")
    writer.beginArray()
    for mark in readMarks {
      writer.beginObject()
      writer.field("userID", mark.userID)
      writer.field("upToSeq", mark.upToSeq)
      writer.field("time", mark.time)
      writer.endObject()
    }
    writer.endArray()
    writer.field("ownReadSeq", ownReadSeq)
    writer.field("clearedSeq", clearedSeq)
    writer.field("clearedTime", clearedTime)
    writer.key("hiddenReasons")
    writer.beginArray()
    for reason in hiddenReasons { writer.string(reason.rawValue) }
    writer.endArray()
    writer.endObject()
  }
}

extension RowExplanation.Recall {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    record.writeFields(to: &writer)
    if let conversationID { writer.field("conversationID", conversationID) }
    if !senderID.isEmpty { writer.field("senderID", senderID) }
    writer.field("covers", covers)
    writer.endObject()
  }
}
