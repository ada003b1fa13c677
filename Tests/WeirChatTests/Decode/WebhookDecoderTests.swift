import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Decoding web-hooks")
struct WebhookDecoderTests {
  private let decoder = OpenIMWebhookDecoder(account: ChatScript.account)

  private func hook(
    _ command: String = "callbackAfterSendSingleMsgCommand", seq: UInt32 = 0, more: String = ""
  ) -> [UInt8] {
    let json =
      #"{"callbackCommand":"\#(command)","sendID":"bob","recvID":"\#(ChatScript.account)","serverMsgID":"s","clientMsgID":"m","operationID":"o","senderPlatformID":5,"senderNickname":"Bob","sessionType":1,"msgFrom":100,"contentType":101,"status":1,"sendTime":1718000000123,"createTime":1718000000001,"content":"{\"content\":\"hi\"}","seq":\#(seq),"atUserList":null,"faceURL":"https://x/b.png","ex":"e"\#(more)}"#
    return Array(json.utf8)
  }

  @Test("the hook's own spellings, content as text, and no seq yet")
  func fields() throws {
    let message = try message(hook())
    #expect(message.key.conversationID == "si_\(ChatScript.account)_bob" && message.key.clientMsgID == "m")
    #expect(message.content == .text("hi") && message.body == .element(Array(#"{"content":"hi"}"#.utf8)))
    #expect(message.envelope.senderFaceURL == "https://x/b.png" && message.envelope.serverMsgID == "s")
    #expect(message.envelope.seq == 0 && message.evidence == .sent && message.marks == [])
  }

  @Test("a seq is an unsigned number of 32 bits")
  func seq() throws {
    #expect(try message(hook(seq: .max)).envelope.seq == 4_294_967_295)
  }

  @Test("a group's message names its group")
  func group() throws {
    let hook = hook("callbackAfterSendGroupMsgCommand", more: #","groupID":"9","sessionType":3"#)
    #expect(try message(hook).key.conversationID == "sg_9")
  }

  @Test(
    "what the server asks before it takes a message is no message",
    arguments: ["callbackBeforeSendSingleMsgCommand", "CallbackBeforeSendGroupMsgCommand", "callbackMsgModifyCommand"])
  func questions(command: String) throws {
    #expect(try decoder.decode(hook(command)) == .ignored(.notYetSent))
  }

  @Test("content that is no JSON keeps the whole hook")
  func brokenContent() throws {
    let hook = hook(more: #","content":"plain words""#)
    let message = try message(hook)
    #expect(message.content == .placeholder(contentType: 101) && message.body == .line(hook))
  }

  @Test(
    "hooks that are no messages are refused",
    arguments: ["{}", "[]", #"{"callbackCommand":"callbackUserOnlineCommand"}"#])
  func others(text: String) {
    #expect(throws: DecodeError.self) { try decoder.decode(Array(text.utf8)) }
  }

  private func message(_ payload: [UInt8]) throws -> ChatMessage {
    guard case .message(let message) = try decoder.decode(payload) else {
      throw DecodeError.unknownShape("not a message")
    }
    return message
  }
}
