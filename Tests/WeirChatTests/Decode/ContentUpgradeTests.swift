import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Content that a later version understands")
struct ContentUpgradeTests {
  private let upgrade = ContentUpgrade(account: ChatScript.account)

  /// A message as a version that did not understand it has kept it.
  private func kept(_ line: [UInt8], _ key: MessageKey, contentType: Int32) -> ChatMessage {
    var envelope = Envelope()
    envelope.seq = 41
    return ChatMessage(
      key: key, envelope: envelope, evidence: .sent, marks: [], contentType: contentType,
      content: .placeholder(contentType: contentType), body: .line(line))
  }

  @Test("a kept line of any shape gives its content now, under the row's own key, and the lattice prefers it")
  func upgraded() throws {
    var callback = CallbackLine()
    (callback.contentType, callback.element) = (109, ("locationElem", #"{"description":"here"}"#))
    var wire = WireLine()
    (wire.contentType, wire.content) = (109, #"{"description":"here"}"#)
    var text = wire
    text.rendition = .text
    let key = MessageKey(account: ChatScript.account, conversationID: "sg_77", clientMsgID: callback.clientMsgID)
    for line in [callback.bytes, wire.bytes, text.bytes] {
      let old = kept(line, key, contentType: 109)
      let new = try #require(upgrade.message(line, key: key))
      #expect(new.content == .location(.init(description: "here", longitude: 0, latitude: 0)))
      #expect(new.key == key && new.envelope.seq == 41)
      let states = [MessageState(old), MessageState(new)]
      let joined = states[0].joined(with: states[1])
      #expect(joined == states[1].joined(with: states[0]) && joined == joined.joined(with: states[1]))
      #expect(joined.body == BodyVersion(new))
      // Doing it again, or hearing the old line again, changes nothing.
      #expect(joined.joined(with: states[0]) == joined)
      #expect(BodyVersion(new) < BodyVersion(old))
    }
  }

  @Test("what is still not understood stays as it is")
  func notYet() {
    var line = CallbackLine()
    (line.contentType, line.element) = (9_999, ("futureElem", "{}"))
    let key = MessageKey(account: ChatScript.account, conversationID: "c", clientMsgID: line.clientMsgID)
    #expect(upgrade.message(line.bytes, key: key) == nil)
    #expect(upgrade.message([], key: key) == nil)
    #expect(upgrade.message(Array("{\"contentType\":101}".utf8), key: key) == nil)
    let content = upgrade.content(of: .line(line.bytes), contentType: 9_999, senderID: "")
    #expect(content == .placeholder(contentType: 9_999))
    #expect(upgrade.content(of: .absent, contentType: 101, senderID: "") == .placeholder(contentType: 101))
  }

  @Test("a notice that an earlier version kept hidden is acted on now")
  func notices() {
    var line = CallbackLine()
    let detail = CallbackLine.quoted(#"{"conversationID":"sg_9","seqs":[3]}"#)
    (line.contentType, line.element) = (2_102, ("notificationElem", "{\"detail\":\(detail)}"))
    let delete = DeleteFact(account: ChatScript.account, conversationID: "sg_9", targets: [.seq(3)])
    #expect(upgrade.facts(line.bytes, conversationID: "n_1").first == .delete(delete))
    #expect(upgrade.facts([1, 2], conversationID: "n_1").isEmpty)
  }
}
