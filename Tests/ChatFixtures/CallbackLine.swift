/// One message in OpenIM's callback shape, to be changed field by field and written as a JSON line.
public struct CallbackLine: Sendable {
  public var clientMsgID = "0f3c1b2a4d5e6f708192a3b4c5d6e7f8"
  public var serverMsgID = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
  public var sendID = "8842110937"
  public var recvID = "7315502264"
  public var groupID = ""
  public var sessionType = 1
  public var senderNickname = "林小雨"
  public var senderFaceUrl = "https://files.example.org/openim/avatar/8842110937.png"
  public var contentType = 101
  /// The element and its key, as JSON.
  public var element = (key: "textElem", json: #"{"content":"晚上七点在老地方见，带上伞 ☔️"}"#)
  public var seq: Int64 = 41
  public var sendTime: Int64 = 1_718_000_000_123
  public var createTime: Int64 = 1_718_000_000_001
  public var status = 2
  public var isRead = false
  /// More members, each as `"key":value`.
  public var more: [String] = []

  public init() {}

  /// A text message of a group.
  public static func group(_ text: String, id: String, seq: Int64, from sender: String = "8842110937") -> CallbackLine {
    var line = CallbackLine()
    line.clientMsgID = id
    line.sessionType = 3
    line.groupID = "3027148891"
    line.recvID = ""
    line.sendID = sender
    line.seq = seq
    line.sendTime = 1_718_000_000_000 + seq * 1_000
    line.element = ("textElem", "{\"content\":\(quoted(text))}")
    return line
  }

  /// The JSON text, in the order of keys and with the omissions of Go's encoder.
  public var text: String {
    var members = ["\"clientMsgID\":\(Self.quoted(clientMsgID))"]
    func add(_ key: String, _ value: String) {
      if !value.isEmpty { members.append("\"\(key)\":\(Self.quoted(value))") }
    }
    add("serverMsgID", serverMsgID)
    members.append("\"createTime\":\(createTime),\"sendTime\":\(sendTime),\"sessionType\":\(sessionType)")
    add("sendID", sendID)
    add("recvID", recvID)
    members.append("\"msgFrom\":100,\"contentType\":\(contentType),\"senderPlatformID\":2")
    add("senderNickname", senderNickname)
    add("senderFaceUrl", senderFaceUrl)
    add("groupID", groupID)
    members.append("\"seq\":\(seq),\"isRead\":\(isRead),\"status\":\(status)")
    if !element.key.isEmpty { members.append("\"\(element.key)\":\(element.json)") }
    return "{\((members + more).joined(separator: ","))}"
  }

  /// The JSON line.
  public var bytes: [UInt8] { Array(text.utf8) }

  /// A JSON string.
  public static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// The notice that this message was recalled, as a message of its own.
  public func recallNotice(by revoker: String, at time: Int64, isByAdmin: Bool = false) -> CallbackLine {
    var notice = self
    notice.clientMsgID = String(clientMsgID.reversed())
    notice.contentType = 2101
    notice.seq = 0
    notice.sendID = revoker
    let conversation = sessionType == 3 ? "sg_\(groupID)" : ""
    let detail =
      "{\"revokerUserID\":\(Self.quoted(revoker)),\"clientMsgID\":\(Self.quoted(clientMsgID)),"
      + "\"revokeTime\":\(time),\"sesstionType\":\(sessionType),\"seq\":\(seq),"
      + "\"conversationID\":\(Self.quoted(conversation)),\"isAdminRevoke\":\(isByAdmin)}"
    notice.element = ("notificationElem", "{\"detail\":\(Self.quoted(detail))}")
    return notice
  }

  /// What the recall callback delivers.
  public func recallCallback(by revoker: String, at time: Int64) -> String {
    "{\"revokerID\":\(Self.quoted(revoker)),\"revokerRole\":20,\"clientMsgID\":\(Self.quoted(clientMsgID)),"
      + "\"revokerNickname\":\"管理员\",\"revokeTime\":\(time),\"sourceMessageSendTime\":\(sendTime),"
      + "\"sourceMessageSendID\":\(Self.quoted(sendID)),\"sourceMessageSenderNickname\":\"\","
      + "\"sessionType\":\(sessionType),\"seq\":\(seq),\"ex\":\"\",\"isAdminRevoke\":false}"
  }
}
