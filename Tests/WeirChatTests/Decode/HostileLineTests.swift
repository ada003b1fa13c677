import ChatFixtures
import Foundation
import Testing

@testable import WeirChat

@Suite("Hostile lines")
struct HostileLineTests {
  private let decoder = OpenIMCallbackDecoder(account: ChatScript.account)

  @Test(
    "lines that cannot be placed are refused with their reason",
    arguments: [
      ("", "json.unexpected-end"), ("   ", "json.unexpected-end"), ("null", "decode.unknown-shape"),
      ("[]", "decode.unknown-shape"), ("[{\"msgIDList\":[\"a\"]}]", "decode.missing-field"),
      ("\"text\"", "decode.unknown-shape"), ("[", "json.unexpected-end"), ("{}", "decode.missing-field"),
      ("{}{}", "json.trailing-bytes"), ("{\"seq\":1}", "decode.missing-field"),
      ("{\"seq\":\"1\"}", "decode.invalid-field"), ("{\"seq\":1e400}", "decode.invalid-field"),
      ("{\"seq\":9223372036854775808}", "decode.invalid-field"),
      ("{\"contentType\":2147483648}", "decode.invalid-field"),
      ("{\"isRead\":0}", "decode.invalid-field"), ("{\"sendID\":[}", "json.unexpected-byte"),
      ("{\"sendID\":{\"a\":}}", "json.unexpected-byte"), ("{\"x\":\"\\ud800\"}", "json.lone-surrogate"),
    ])
  func refused(text: String, code: String) {
    let error = #expect(throws: DecodeError.self) { try decoder.decode(Array(text.utf8)) }
    #expect(error?.code == code)
    #expect(error?.description.isEmpty == false)
  }

  @Test("messages without a place are refused", arguments: [0, 5, -1, 99] as [Int])
  func unknownSession(session: Int) {
    var line = CallbackLine()
    line.sessionType = session
    #expect(throws: DecodeError.unknownSessionType(Int32(session))) { try decoder.decode(line.bytes) }
  }

  @Test("messages without a party or with a seq below zero are refused")
  func missingParts() {
    var line = CallbackLine()
    line.recvID = ""
    #expect(throws: DecodeError.missingField("recvID")) { try decoder.decode(line.bytes) }
    line = CallbackLine()
    line.sendID = ""
    #expect(throws: DecodeError.missingField("sendID")) { try decoder.decode(line.bytes) }
    line = CallbackLine.group("x", id: "a", seq: 1)
    line.groupID = ""
    #expect(throws: DecodeError.missingField("groupID")) { try decoder.decode(line.bytes) }
    line = CallbackLine()
    line.seq = -1
    #expect(throws: DecodeError.negativeSeq(-1)) { try decoder.decode(line.bytes) }
  }

  @Test("a line longer than the limit is refused before it is read")
  func tooLong() {
    let short = OpenIMCallbackDecoder(account: "a", lineLimit: 100)
    let line = CallbackLine().bytes
    #expect(throws: DecodeError.lineTooLong(count: line.count, limit: 100)) { try short.decode(line) }
  }

  @Test("an element nested like a bomb is refused, at any place", arguments: ["textElem", "mergeElem", "unknown"])
  func bombs(key: String) {
    var line = CallbackLine()
    line.element = (key, String(repeating: "{\"a\":[", count: 50_000))
    let error = #expect(throws: DecodeError.self) { try decoder.decode(line.bytes) }
    #expect(error?.code == "json.too-deep")
  }

  @Test("a recall whose detail is nested like a bomb is refused")
  func bombInString() {
    var line = CallbackLine()
    line.contentType = 2101
    line.element = ("notificationElem", "{\"detail\":\"\(String(repeating: "[", count: 200_000))\"}")
    #expect(throws: DecodeError.unreadableRecall) { try decoder.decode(line.bytes) }
  }

  @Test("extreme numbers are taken as they are")
  func extremes() throws {
    var line = CallbackLine()
    (line.seq, line.sendTime, line.createTime) = (.max, .min, .max)
    (line.status, line.contentType) = (Int(Int32.min), Int(Int32.max))
    guard case .message(let message) = try decoder.decode(line.bytes) else {
      Issue.record("not a message")
      return
    }
    #expect(message.envelope.seq == .max && message.envelope.sendTime == .min)
  }

  @Test("random damage never traps, never loses the id, and decodes the same way twice")
  func mutations() throws {
    var random = SeededRandom(20_240_601)
    var seeds = ChatScript.lines(seed: 11, count: 60)
    seeds.append(CallbackLine().recallNotice(by: "a", at: 5).bytes)
    var counts = (accepted: 0, refused: 0)
    for _ in 0..<soak(10_000, 100_000) {
      var line = random.pick(seeds)
      damage(&line, &random)
      let first = outcome(line)
      #expect(outcome(line) == first)
      switch first {
      case .success(let decoded):
        counts.accepted += 1
        for fact in decoded.facts {
          #expect(!fact.clientMsgID.isEmpty)
          #expect(fact.account == ChatScript.account)
        }
      case .failure(let error):
        counts.refused += 1
        #expect(!error.code.isEmpty)
      }
    }
    #expect(counts.accepted > 100 && counts.refused > 100)
  }

  private func outcome(_ line: [UInt8]) -> Result<Decoded, DecodeError> {
    do throws(DecodeError) {
      return .success(try decoder.decode(line))
    } catch {
      return .failure(error)
    }
  }
}
