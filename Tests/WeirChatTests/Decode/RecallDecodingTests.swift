import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Decoding recalls")
struct RecallDecodingTests {
  private let decoder = OpenIMCallbackDecoder(account: ChatScript.account)
  private let line = CallbackLine.group("oops", id: "0123456789abcdef0123456789abcdef", seq: 9)

  @Test("the notice names the message, its conversation and who took it back")
  func notice() throws {
    let recall = try recall(line.recallNotice(by: "admin", at: 1_718_000_100_000, isByAdmin: true).bytes)
    #expect(recall.target == .conversation("sg_3027148891"))
    #expect(recall.clientMsgID == line.clientMsgID)
    let record = RecallRecord(time: 1_718_000_100_000, revokerID: "admin", isByAdmin: true, seq: 9)
    #expect(recall.record == record)
    #expect(recall.original == nil)
  }

  @Test("a notice without a conversation belongs to the one it came in")
  func noticeWithoutConversation() throws {
    let single = CallbackLine()
    let recall = try recall(single.recallNotice(by: single.sendID, at: 5).bytes)
    #expect(recall.target == .conversation("si_7315502264_8842110937"))
  }

  @Test(
    "seconds and milliseconds are told apart",
    arguments: [
      (1_718_000_100, 1_718_000_100_000), (1_718_000_100_000, 1_718_000_100_000), (0, 0), (-5, 0),
      (99_999_999_999, 99_999_999_999_000), (100_000_000_000, 100_000_000_000), (Int64.max, Int64.max),
    ] as [(Int64, Int64)])
  func times(time: Int64, milliseconds: Int64) throws {
    #expect(try recall(line.recallNotice(by: "a", at: time).bytes).record.time == milliseconds)
  }

  @Test(
    "a row that was recalled since is a recall of itself and brings its envelope",
    arguments: [
      #"{"revokerUserID":"bob","clientMsgID":"0123456789abcdef0123456789abcdef","revokeTime":1718000100000,"seq":9}"#,
      #"{"revokerUserID":"bob","revokeTime":1718000100000,"seq":9}"#,
    ])
  func recalledRow(detail: String) throws {
    var row = line
    row.contentType = 2101
    row.element = ("notificationElem", "{\"detail\":\(CallbackLine.quoted(detail))}")
    let recall = try recall(row.bytes)
    #expect(recall.target == .conversation("sg_3027148891"))
    #expect(recall.clientMsgID == line.clientMsgID)
    #expect(recall.record == RecallRecord(time: 1_718_000_100_000, revokerID: "bob", seq: 9))
    let original = try #require(recall.original)
    #expect(original.body == .absent)
    #expect(original.envelope.seq == 9 && original.envelope.senderID == line.sendID)
  }

  @Test("the callback names no conversation, only its kind and the sender")
  func callback() throws {
    let recall = try recall(Array(line.recallCallback(by: "admin", at: 1_718_000_100_000).utf8))
    #expect(recall.target == .anywhere(.readGroup, senderID: line.sendID))
    #expect(recall.clientMsgID == line.clientMsgID)
    #expect(recall.record == RecallRecord(time: 1_718_000_100_000, revokerID: "admin", revokerRole: 20, seq: 9))
  }

  @Test(
    "a recall that cannot be read is refused, not turned into a message",
    arguments: [
      ("", ""), ("notificationElem", "{}"), ("notificationElem", #"{"detail":""}"#),
      ("notificationElem", #"{"detail":"{\"clientMsgID\":"}"#), ("notificationElem", #"{"detail":"[1]"}"#),
      ("notificationElem", #"{"detail":{"clientMsgID":"x"}}"#), ("notificationElem", #"{"detail":"{\"seq\":\"x\"}"}"#),
    ])
  func unreadable(key: String, json: String) {
    var row = line
    row.contentType = 2101
    row.element = (key, json)
    #expect(throws: DecodeError.unreadableRecall) { try decoder.decode(row.bytes) }
  }

  @Test("a recall callback without a message is refused")
  func withoutTarget() {
    #expect(throws: DecodeError.missingField("clientMsgID")) {
      try decoder.decode(Array(#"{"revokerID":"a","seq":4}"#.utf8))
    }
  }

  private func recall(_ bytes: [UInt8]) throws -> RecallFact {
    guard case .recall(let recall) = try decoder.decode(bytes) else {
      throw DecodeError.unknownShape("not a recall")
    }
    return recall
  }
}
