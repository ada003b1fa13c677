/// The fields of one payload object: texts, numbers and truth values read, elements only located, since which of them
/// matters is known at the end. Of a repeated key the last one counts; a missing key and `null` mean empty (receiving
/// spec §1.1).
struct PayloadFields {
  var clientMsgID = ""
  var serverMsgID = ""
  var sendID = ""
  var recvID = ""
  var groupID = ""
  var senderNickname = ""
  var senderFaceURL = ""
  var ex = ""
  var attachedInfo = ""
  var revokerID: String?
  var revokerUserID = ""
  var sourceMessageSendID = ""
  var conversationID = ""
  var userID = ""
  var createTime: Int64 = 0
  var sendTime: Int64 = 0
  var seq: Int64 = 0
  var revokeTime: Int64 = 0
  var sessionType: Int32 = 0
  var msgFrom: Int32 = 0
  var contentType: Int32?
  var senderPlatformID: Int32 = 0
  var status: Int32 = 0
  var revokerRole: Int32 = 0
  var isRead = false
  var isAdminRevoke = false
  /// The platforms of a typing callback: the first one and how many; nil when the key is absent.
  var platforms: (first: Int32, count: Int)?
  /// Where the elements stand, in order of appearance.
  var elements: [(field: Field, range: Range<Int>)] = []

  /// Reads one object and leaves the reader behind it.
  init(_ reader: inout JSONReader, _ table: FieldTable) throws(DecodeError) {
    do {
      try reader.beginObject()
    } catch {
      throw .json(error)
    }
    while let key = try Self.nextKey(&reader) {
      let field = table.field(key, in: reader.bytes)
      do throws(JSONError) {
        if let field { try read(field, &reader) } else { try reader.skipValue() }
      } catch {
        switch error {
        case .typeMismatch, .numberOutOfRange: throw .invalidField(field?.rawValue ?? "", error)
        default: throw .json(error)
        }
      }
    }
  }

  /// Where the latest element of this name stands; nil when it is absent or `null`.
  func element(_ field: Field, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard let range = elements.last(where: { $0.field == field })?.range else { return nil }
    return bytes[range.lowerBound] == UInt8(ascii: "n") ? nil : range
  }

  private static func nextKey(_ reader: inout JSONReader) throws(DecodeError) -> JSONText? {
    do {
      return try reader.nextKey()
    } catch {
      throw .json(error)
    }
  }

  private mutating func read(_ field: Field, _ reader: inout JSONReader) throws(JSONError) {
    switch field {
    case .clientMsgID: clientMsgID = try reader.string()
    case .serverMsgID: serverMsgID = try reader.string()
    case .sendID: sendID = try reader.string()
    case .recvID: recvID = try reader.string()
    case .groupID: groupID = try reader.string()
    case .senderNickname: senderNickname = try reader.string()
    case .senderFaceUrl, .senderFaceURL: senderFaceURL = try reader.string()
    case .ex: ex = try reader.string()
    case .attachedInfo: attachedInfo = try reader.string()
    case .revokerID: revokerID = try reader.string()
    case .revokerUserID: revokerUserID = try reader.string()
    case .sourceMessageSendID: sourceMessageSendID = try reader.string()
    case .conversationID: conversationID = try reader.string()
    case .userID: userID = try reader.string()
    case .createTime: createTime = try reader.int64()
    case .sendTime: sendTime = try reader.int64()
    case .seq: seq = try reader.int64()
    case .revokeTime: revokeTime = try reader.int64()
    case .sessionType, .sesstionType: sessionType = try reader.int32()
    case .msgFrom: msgFrom = try reader.int32()
    case .contentType: contentType = try reader.int32()
    case .senderPlatformID: senderPlatformID = try reader.int32()
    case .status: status = try reader.int32()
    case .revokerRole: revokerRole = try reader.int32()
    case .isRead: isRead = try reader.bool()
    case .isAdminRevoke: isAdminRevoke = try reader.bool()
    case .platformIDs: platforms = try Self.platforms(&reader)
    case .attachedInfoElem, .textElem, .pictureElem, .atTextElem, .customElem, .typingElem, .quoteElem,
      .advancedTextElem, .markdownTextElem, .notificationElem:
      elements.append((field, try reader.skipValue()))
    }
  }

  private static func platforms(_ reader: inout JSONReader) throws(JSONError) -> (first: Int32, count: Int) {
    if try reader.peek() == UInt8(ascii: "n") {
      try reader.skipValue()
      return (0, 0)
    }
    var result: (first: Int32, count: Int) = (0, 0)
    try reader.beginArray()
    while try reader.nextElement() {
      let platform = try reader.int32()
      if result.count == 0 { result.first = platform }
      result.count += 1
    }
    return result
  }
}
