/// What the JSON attached to a message says that bears on its state (receiving spec §1.2, `attachedInfoElem`).
///
/// Text that cannot be read says nothing; it stays with the message all the same.
enum AttachedInfo {
  /// The marks and the amendments in `text`.
  static func read(_ text: String) -> (marks: MessageMarks, amendments: Amendments) {
    var amendments = Amendments()
    var isPrivate = false
    if text.isEmpty { return ([], amendments) }
    var text = text
    text.withUTF8 { bytes in
      var reader = JSONReader(bytes)
      var found = Amendments()
      var flag = false
      do throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
          switch key.string(in: reader.bytes) {
          case "isPrivateChat": flag = try reader.bool()
          case "burnDuration": found.burnDuration = max(try reader.int64(), 0)
          case "hasReadTime": found.reportedReadTime = max(try reader.int64(), 0)
          case "groupHasReadInfo": try groupInfo(&found, &reader)
          default: try reader.skipValue()
          }
        }
        (amendments, isPrivate) = (found, flag)
      } catch {}
    }
    return (isPrivate ? .isPrivate : [], amendments)
  }

  private static func groupInfo(_ found: inout Amendments, _ reader: inout JSONReader) throws(JSONError) {
    guard try reader.peek() == UInt8(ascii: "{") else {
      try reader.skipValue()
      return
    }
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key.string(in: reader.bytes) {
      case "hasReadCount": found.reportedReaders = max(try reader.int64(), 0)
      case "hasReadUserIDList":
        guard try reader.peek() == UInt8(ascii: "[") else {
          try reader.skipValue()
          continue
        }
        try reader.beginArray()
        while try reader.nextElement() {
          let user = try reader.string()
          if !user.isEmpty { found.readers[ByteKey(text: user)] = 0 }
        }
      default: try reader.skipValue()
      }
    }
  }
}
