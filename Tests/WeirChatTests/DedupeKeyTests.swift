import ChatFixtures
import Testing

@testable import WeirChat

@Suite("The dedupe key")
struct DedupeKeyTests {
  @Test("an exact redelivery has the same key")
  func same() throws {
    for line in ChatScript.lines(seed: 8, count: 100) {
      let pair = try facts([line, line])
      if pair.count == 2 { #expect(pair[0].dedupeKey == pair[1].dedupeKey) }
    }
  }

  @Test("a copy that differs in any field has another key")
  func different() throws {
    var line = CallbackLine()
    line.more = [#""ex":"e""#, #""attachedInfo":"a""#]
    let changes: [(inout CallbackLine) -> Void] = [
      { _ in }, { $0.clientMsgID += "x" }, { $0.serverMsgID += "x" }, { $0.sendID += "x" }, { $0.recvID += "x" },
      { $0.senderNickname += "x" }, { $0.senderFaceUrl += "x" }, { $0.seq += 1 }, { $0.sendTime += 1 },
      { $0.createTime += 1 }, { $0.status = 4 }, { $0.status = 5 }, { $0.isRead = true }, { $0.contentType = 118 },
      { $0.element.json = #"{"content":"other"}"# }, { $0.more[0] = #""ex":"x""# },
      { $0.more[1] = #""attachedInfo":"x""# }, { $0.sessionType = 4 },
    ]
    let keys = try changes.map { change in
      var copy = line
      change(&copy)
      return try #require(try facts([copy.bytes]).first).dedupeKey
    }
    #expect(Set(keys).count == changes.count)
  }

  @Test("recalls that differ in target, message or record have different keys")
  func recalls() throws {
    let line = CallbackLine.group("x", id: "m1", seq: 1)
    var other = line
    other.clientMsgID = "m2"
    var elsewhere = line
    elsewhere.groupID = "1"
    let keys = try facts([
      line.recallNotice(by: "a", at: 1).bytes, line.recallNotice(by: "b", at: 1).bytes,
      line.recallNotice(by: "a", at: 2).bytes, line.recallNotice(by: "a", at: 1, isByAdmin: true).bytes,
      other.recallNotice(by: "a", at: 1).bytes, elsewhere.recallNotice(by: "a", at: 1).bytes,
      Array(line.recallCallback(by: "a", at: 1).utf8), line.bytes,
    ]).map(\.dedupeKey)
    #expect(Set(keys).count == 8)
  }

  @Test("the key of a known message is the same in every process")
  func fixed() throws {
    let key = try #require(try facts([CallbackLine().bytes]).first).dedupeKey
    #expect(key.description == "6fdcc6dfb1821f92ee8afb44e2f77265")
  }
}
