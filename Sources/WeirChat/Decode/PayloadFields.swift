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
  var sourceMessageSendID = ""
  var conversationID = ""
  var userID = ""
  var callbackCommand = ""
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
  var options = MessageOptions()
  /// Where the attached information stands as an object.
  var attachedObject: Range<Int>?
  /// Where the content stands in the shapes that have no elements, quotes included.
  var content: Range<Int>?
  /// Where the elements stand. Hardly ever are there several.
  private var element: (field: Field, range: Range<Int>)?
  private var earlierElements: [(field: Field, range: Range<Int>)] = []

  /// Reads one object and leaves the reader behind it.
  /// - Parameter acceptsText: whether numbers of 64 bits may stand in quotes.
  init(_ reader: inout JSONReader, acceptsText: Bool = false) throws(DecodeError) {
    var field: Field?
    let table = FieldTable.shared
    do throws(JSONError) {
      try reader.beginObject()
    } catch {
      throw .json(error)
    }
    do throws(JSONError) {
      while let key = try reader.nextKey() {
        field = table.field(key, in: reader.bytes)
        if let field { try read(field, &reader, acceptsText) } else { try reader.skipValue() }
      }
    } catch {
      switch error {
      case .typeMismatch, .numberOutOfRange: throw .invalidField(field?.rawValue ?? "", error)
      default: throw .json(error)
      }
    }
  }

  /// Where the latest element of this name stands; nil when it is absent or `null`.
  func element(_ field: Field, in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard let element else { return nil }
    let found = element.field == field ? element : earlierElements.last { $0.field == field }
    guard let range = found?.range, bytes[range.lowerBound] != UInt8(ascii: "n") else { return nil }
    return range
  }

  private mutating func read(
    _ field: Field, _ reader: inout JSONReader, _ acceptsText: Bool
  ) throws(JSONError) {
    switch field {
    case .clientMsgID: clientMsgID = try reader.string()
    case .serverMsgID: serverMsgID = try reader.string()
    case .sendID: sendID = try reader.string()
    case .recvID: recvID = try reader.string()
    case .groupID: groupID = try reader.string()
    case .senderNickname: senderNickname = try reader.string()
    case .senderFaceUrl, .senderFaceURL, .faceURL: senderFaceURL = try reader.string()
    case .ex: ex = try reader.string()
    case .attachedInfo: attachedInfo = try reader.string()
    case .revokerID: revokerID = try reader.string()
    case .sourceMessageSendID: sourceMessageSendID = try reader.string()
    case .conversationID: conversationID = try reader.string()
    case .userID: userID = try reader.string()
    case .callbackCommand: callbackCommand = try reader.string()
    case .createTime: createTime = try reader.int64(acceptsText: acceptsText)
    case .sendTime: sendTime = try reader.int64(acceptsText: acceptsText)
    case .seq: seq = try reader.int64(acceptsText: acceptsText)
    case .revokeTime: revokeTime = try reader.int64(acceptsText: acceptsText)
    case .sessionType, .sesstionType: sessionType = try reader.int32()
    case .msgFrom: msgFrom = try reader.int32()
    case .contentType: contentType = try reader.int32()
    case .senderPlatformID: senderPlatformID = try reader.int32()
    case .status: status = try reader.int32()
    case .revokerRole: revokerRole = try reader.int32()
    case .isRead: isRead = try reader.bool()
    case .isAdminRevoke: isAdminRevoke = try reader.bool()
    case .platformIDs: platforms = try Self.platforms(&reader)
    case .options: options = try MessageOptions(&reader)
    case .attachedInfoElem: attachedObject = try reader.skipValue()
    case .content: content = try reader.skipValue()
    case .textElem, .pictureElem, .soundElem, .videoElem, .fileElem, .atTextElem, .mergeElem, .cardElem,
      .locationElem, .customElem, .typingElem, .quoteElem, .faceElem, .advancedTextElem, .markdownTextElem,
      .notificationElem:
      if let element { earlierElements.append(element) }
      element = (field, try reader.skipValue())
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
