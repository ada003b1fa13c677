import ChatFixtures
import Foundation

/// One message in the wire's JSON shape, to be changed field by field.
struct WireLine {
  /// How `content` is written.
  enum Rendition: CaseIterable {
    case base64, text, object
  }

  var clientMsgID = "0f3c1b2a4d5e6f708192a3b4c5d6e7f8"
  var serverMsgID = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
  var sendID = "8842110937"
  var recvID = ChatScript.account
  var groupID = ""
  var sessionType = 1
  var contentType = 101
  var content = #"{"content":"hello"}"#
  var rendition = Rendition.base64
  var seq: Int64 = 41
  var sendTime: Int64 = 1_718_000_000_123
  var status = 1
  var isRead = false
  var options: [(String, Bool)] = []
  /// More members, each as `"key":value`.
  var more: [String] = []

  /// The single chat of the default sender and the account.
  static let conversation = "si_\(ChatScript.account)_8842110937"

  var members: [String] {
    let content: String =
      switch rendition {
      case .base64: CallbackLine.quoted(Data(self.content.utf8).base64EncodedString())
      case .text: CallbackLine.quoted(self.content)
      case .object: self.content
      }
    let options = self.options.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
    return [
      "\"sendID\":\(CallbackLine.quoted(sendID))", "\"recvID\":\(CallbackLine.quoted(recvID))",
      "\"groupID\":\(CallbackLine.quoted(groupID))", "\"clientMsgID\":\(CallbackLine.quoted(clientMsgID))",
      "\"serverMsgID\":\(CallbackLine.quoted(serverMsgID))", "\"senderPlatformID\":2",
      "\"senderNickname\":\"林小雨\"", "\"senderFaceURL\":\"https://x/a.png\"", "\"sessionType\":\(sessionType)",
      "\"msgFrom\":100", "\"contentType\":\(contentType)", "\"content\":\(content)", "\"seq\":\(seq)",
      "\"sendTime\":\(sendTime)", "\"createTime\":1718000000001", "\"status\":\(status)", "\"isRead\":\(isRead)",
      "\"options\":{\(options)}", "\"offlinePushInfo\":{\"title\":\"t\",\"iOSBadgeCount\":true}",
      "\"atUserIDList\":[\"x\"]", "\"ex\":\"app\"",
    ] + more
  }

  var text: String { "{\(members.joined(separator: ","))}" }
  var bytes: [UInt8] { Array(text.utf8) }

  /// A notice: JSON inside a text inside the content.
  static func notice(_ contentType: Int, _ detail: String, seq: Int64 = 7) -> WireLine {
    var line = WireLine()
    line.contentType = contentType
    line.content = "{\"detail\":\(CallbackLine.quoted(detail))}"
    line.seq = seq
    line.options = [("isNotNotification", false)]
    line.sendID = ChatScript.account
    line.recvID = ChatScript.account
    return line
  }

  /// A push of messages by conversation.
  static func push(_ conversations: [(String, [WireLine])], key: String = "msgs") -> [UInt8] {
    let groups = conversations.map { id, lines in
      "\(CallbackLine.quoted(id)):{\"Msgs\":[\(lines.map(\.text).joined(separator: ","))],\"isEnd\":true,\"endSeq\":0}"
    }
    return Array("{\"\(key)\":{\(groups.joined(separator: ","))}}".utf8)
  }
}
