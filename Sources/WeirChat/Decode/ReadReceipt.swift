/// One entry of the read receipt callback: a receiver has read messages (receiving spec §1.5).
struct ReadReceipt {
  private var groupID = ""
  private var userID = ""
  private var messageIDs: [String] = []
  private var readTime: Int64 = 0
  private var sessionType: Int32 = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) throws(DecodeError) {
    var reader = JSONReader(bytes, range: range)
    var field = ""
    do throws(JSONError) {
      try reader.beginObject()
      while let name = try reader.nextName() {
        switch name {
        case "groupID":
          field = "groupID"
          groupID = try reader.string()
        case "userID":
          field = "userID"
          userID = try reader.string()
        case "msgIDList":
          field = "msgIDList"
          messageIDs = try reader.strings()
        case "readTime":
          field = "readTime"
          readTime = try reader.int64()
        case "sessionType":
          field = "sessionType"
          sessionType = try reader.int32()
        default: try reader.skipValue()
        }
      }
    } catch {
      throw .invalidField(field, error)
    }
  }

  /// The fact. The session type may be missing, since a group names itself.
  func decoded(_ account: String) throws(DecodeError) -> Decoded {
    guard let session = SessionType(rawValue: sessionType == 0 ? (groupID.isEmpty ? 1 : 3) : sessionType) else {
      throw .unknownSessionType(sessionType)
    }
    guard !userID.isEmpty else { throw .missingField("userID") }
    guard !session.isGroup || !groupID.isEmpty else { throw .missingField("groupID") }
    let ids = messageIDs.filter { !$0.isEmpty }
    guard !ids.isEmpty else { return .ignored(.emptyList) }
    let conversationID = session.conversationID(sender: userID, receiver: account, group: groupID)
    return .facts([
      .read(
        ReadFact(
          account: account, conversationID: conversationID, readerID: userID,
          messages: ids.map { .clientMsgID($0) }, time: Timestamp.milliseconds(readTime)))
    ])
  }
}
