/// What a notice says, read from its `detail` (receiving spec §1.5). The keys of all notices are read at once; which of
/// them matter, its number decides.
struct NoticeDetail {
  /// Nil when none of the revoker's keys is there.
  var revokerID: String?
  var revokerRole: Int32 = 0
  var clientMsgID = ""
  var revokeTime: Int64 = 0
  var isAdminRevoke = false
  var seq: Int64 = 0
  var conversationID = ""
  var userID = ""
  var markAsReadUserID = ""
  var hasReadSeq: Int64 = 0
  var seqs: [Int64] = []
  var conversationIDs: [String] = []
  var sendID = ""
  var recvID = ""
  var isPrivate = false

  /// Reads one JSON text; nil when it is no object or a known key holds a value of the wrong type.
  init?(_ json: [UInt8]) {
    let detail = json.withUnsafeBufferPointer { bytes -> NoticeDetail? in
      var reader = JSONReader(bytes)
      guard let detail = try? NoticeDetail(&reader), (try? reader.finish()) != nil else { return nil }
      return detail
    }
    guard let detail else { return nil }
    self = detail
  }

  private init(_ reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "revokerUserID", "revokerID": revokerID = try reader.string()
      case "revokerRole": revokerRole = try reader.int32()
      case "clientMsgID": clientMsgID = try reader.string()
      case "revokeTime": revokeTime = try reader.int64(acceptsText: true)
      case "isAdminRevoke": isAdminRevoke = try reader.bool()
      case "seq": seq = try reader.int64(acceptsText: true)
      case "conversationID": conversationID = try reader.string()
      case "userID": userID = try reader.string()
      case "markAsReadUserID": markAsReadUserID = try reader.string()
      case "hasReadSeq": hasReadSeq = try reader.int64(acceptsText: true)
      case "seqs": seqs = try reader.int64s(acceptsText: true)
      case "conversationIDs", "conversationIDList": conversationIDs = try reader.strings()
      case "sendID": sendID = try reader.string()
      case "recvID": recvID = try reader.string()
      case "isPrivate": isPrivate = try reader.bool()
      default: try reader.skipValue()
      }
    }
  }

  /// The record of a recall.
  var record: RecallRecord {
    RecallRecord(
      time: Timestamp.milliseconds(revokeTime), revokerID: revokerID ?? "", revokerRole: revokerRole,
      isByAdmin: isAdminRevoke, seq: max(seq, 0))
  }
}
