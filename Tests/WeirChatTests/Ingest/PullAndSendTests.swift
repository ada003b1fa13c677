import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Pulls and sends")
struct PullAndSendTests {
  private let me = ChatScript.account
  private let pulls = PullReader(OpenIMWireDecoder(account: ChatScript.account))
  private let sends = SendReader(OpenIMCallbackDecoder(account: ChatScript.account))

  @Test("a limited range answers only from its oldest message upward; a range that was not filled is answered whole")
  func limited() throws {
    let request = PullRequest(conversationID: "sg_1", seqs: [1...100], limit: 3)
    #expect(try answered(push("sg_1", [98, 99, 100]), [request]) == ["sg_1": [98...100]])
    #expect(try answered(push("sg_1", [40, 99]), [request]) == ["sg_1": [1...100]])
    #expect(try answered(push("sg_1", []), [request]) == ["sg_1": [1...100]])
    let two = PullRequest(conversationID: "sg_1", seqs: [1...50, 60...100], limit: 3)
    #expect(try answered(push("sg_1", [98, 99, 100]), [two]) == ["sg_1": [98...100]])
  }

  @Test("a notification twin ignores the limit, and listed seqs have none")
  func unlimited() throws {
    let twin = PullRequest(conversationID: "n_1", seqs: [1...9], limit: 2)
    #expect(try answered(push("n_1", [1, 2, 9]), [twin]) == ["n_1": [1...9]])
    let listed = PullRequest(conversationID: "sg_1", seqs: [3...3, 7...8])
    #expect(try answered(push("sg_1", [3]), [listed]) == ["sg_1": [3...3, 7...8]])
  }

  @Test("placeholders count as answers of the server")
  func placeholders() throws {
    var closed = line(50)
    (closed.clientMsgID, closed.status) = ("", 4)
    let payload = WireLine.push([("sg_1", [closed, line(51)])])
    let request = PullRequest(conversationID: "sg_1", seqs: [1...51], limit: 2)
    #expect(try answered(payload, [request]) == ["sg_1": [50...51]])
  }

  @Test("what the answer does not hold, or cannot be read, was not answered")
  func unanswered() throws {
    let request = PullRequest(conversationID: "sg_1", seqs: [1...9])
    #expect(try answered(push("sg_2", [1]), [request]).isEmpty)
    #expect(try answered(Array("{}".utf8), [request]).isEmpty)
    let broken = Array(#"{"msgs":{"sg_1":{"Msgs":[\#(line(1).text),{"seq":"x"}]}}}"#.utf8)
    let decoded = try pulls.decode(broken, answering: [request])
    #expect(decoded.facts.count == 1 && decoded.parts.count == 2)
    #expect(throws: DecodeError.self) { try pulls.decode(Array("[".utf8), answering: [request]) }
  }

  @Test("everything else in the answer comes out as well")
  func messages() throws {
    let request = PullRequest(conversationID: "sg_1", seqs: [1...2])
    let facts = try pulls.decode(push("sg_1", [2, 1]), answering: [request]).facts
    let seqs = facts.compactMap { if case .message(let message) = $0 { message.envelope.seq } else { nil } }
    #expect(seqs == [2, 1] && facts.count == 3)
  }

  @Test("an acknowledgement: the server's short answer, or the message that the SDK hands back")
  func acknowledged() throws {
    let short = Array(#"{"serverMsgID":"s","clientMsgID":"m","sendTime":"1718000000123"}"#.utf8)
    let expected = Fact.send(
      SendFact(
        account: me, conversationID: "c", clientMsgID: "m",
        event: .acknowledged(serverMsgID: "s", sendTime: 1_718_000_000_123, seq: 0)))
    #expect(try sends.acknowledged(short, conversationID: "c") == [expected])
    var line = CallbackLine()
    (line.sendID, line.recvID, line.seq, line.status) = (line.recvID, line.sendID, 0, 2)
    let facts = try sends.acknowledged(line.bytes, conversationID: "si_\(me)_8842110937")
    guard facts.count == 2, case .message(let message) = facts[0], case .send(let send) = facts[1] else {
      Issue.record("\(facts)")
      return
    }
    #expect(message.evidence == .sent && message.key.clientMsgID == send.clientMsgID)
    #expect(send.event == .acknowledged(serverMsgID: line.serverMsgID, sendTime: line.sendTime, seq: 0))
    #expect(throws: DecodeError.missingField("clientMsgID")) {
      try sends.acknowledged(Array("{}".utf8), conversationID: "c")
    }
    #expect(throws: DecodeError.negativeSeq(-1)) {
      try sends.acknowledged(Array(#"{"clientMsgID":"m","seq":-1}"#.utf8), conversationID: "c")
    }
  }

  @Test("push, pull, history page, acknowledgement and echo of one message name one key")
  func oneKey() throws {
    var wire = WireLine()
    (wire.sendID, wire.recvID) = (me, "8842110937")
    var callback = CallbackLine()
    (callback.sendID, callback.recvID) = (me, "8842110937")
    let decoder = OpenIMCallbackDecoder(account: me)
    let page = #"{"messageList":[\#(callback.text)],"isEnd":true}"#
    let facts =
      try OpenIMWireDecoder(account: me).decode(WireLine.push([(WireLine.conversation, [wire])])).facts
      + pulls.decode(
        WireLine.push([(WireLine.conversation, [wire])]),
        answering: [PullRequest(conversationID: WireLine.conversation, seqs: [41...41])]
      ).facts
      + HistoryAnswer(json: Array(page.utf8), decoder: decoder).messages.flatMap(\.facts)
      + sends.acknowledged(callback.bytes, conversationID: WireLine.conversation) + decoder.decode(callback.bytes).facts
    let keys = facts.compactMap { if case .message(let message) = $0 { message.key } else { nil } }
    #expect(keys.count == 5 && Set(keys).count == 1)
  }

  private func line(_ seq: Int64) -> WireLine {
    var line = WireLine()
    (line.seq, line.clientMsgID) = (seq, "m\(seq)")
    return line
  }

  private func push(_ id: String, _ seqs: [Int64]) -> [UInt8] { WireLine.push([(id, seqs.map { line($0) })]) }

  private func answered(_ payload: [UInt8], _ requests: [PullRequest]) throws -> [String: [ClosedRange<Int64>]] {
    var result: [String: [ClosedRange<Int64>]] = [:]
    for case .seqs(let fact) in try pulls.decode(payload, answering: requests).facts where !fact.answered.isEmpty {
      result[fact.conversationID] = fact.answered
    }
    return result
  }
}
