import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Decoding pushes and answers")
struct WireBatchTests {
  private let decoder = OpenIMWireDecoder(account: ChatScript.account)

  @Test("D2: a batch 11, 11, 13 tells three copies and that the server has 13, so 12 is seen to be missing")
  func repeatedSeq() throws {
    let facts = try decoder.decode(push([11, 11, 13])).facts
    #expect(seqs(facts) == [11, 11, 13])
    #expect(newest(facts) == 13)
    #expect(Set([11, 12, 13]).subtracting(seqs(facts)) == [12])
  }

  @Test("D3: a batch 12, 11 tells both")
  func reversed() throws {
    let facts = try decoder.decode(push([12, 11])).facts
    #expect(seqs(facts) == [12, 11])
    #expect(newest(facts) == 12)
  }

  @Test("D1: one batch with a message twice under two seqs tells both seqs of one key")
  func twins() throws {
    var first = line(11)
    var second = line(12)
    first.clientMsgID = "m"
    second.clientMsgID = "m"
    let facts = try decoder.decode(WireLine.push([("sg_1", [first, second])])).facts
    #expect(seqs(facts) == [11, 12])
    #expect(Set(messages(facts).map(\.key)).count == 1)
  }

  @Test("D11: messages of the same time come out in the batch's order, each with its seq")
  func equalTimes() throws {
    let messages = messages(try decoder.decode(push([3, 1, 2])).facts)
    #expect(Set(messages.map(\.envelope.sendTime)).count == 1)
    #expect(messages.map(\.envelope.seq) == [3, 1, 2])
  }

  @Test("D15: the same id in two conversations is two messages")
  func sameID() throws {
    var line = line(1)
    line.clientMsgID = "m"
    let facts = try decoder.decode(WireLine.push([("sg_1", [line]), ("sg_2", [line])])).facts
    #expect(Set(messages(facts).map(\.key)).count == 2)
  }

  @Test("openim-sdk-core 865: ids that a client database made up never come out, their seqs are closed")
  func decoratedIDs() throws {
    for prefix in ["[CLIENT_DUP]", "[SEQ_DUP]", "[DELETED]", "[SEQ_GAP_3]"] {
      var duplicate = line(15)
      duplicate.clientMsgID = prefix + "0f3c1b2a4d5e6f708192a3b4c5d6e7f8"
      duplicate.status = 4
      let facts = try decoder.decode(WireLine.push([("sg_1", [line(14), duplicate])])).facts
      #expect(messages(facts).map(\.envelope.seq) == [14])
      #expect(facts.contains(.seqs(SeqFact(account: ChatScript.account, conversationID: "sg_1", closed: [15...15]))))
    }
  }

  @Test("Conversations 2746: the sent copy and the incoming copy of a note to self are one message, own")
  func noteToSelf() throws {
    var note = line(1)
    (note.sendID, note.recvID, note.clientMsgID) = (ChatScript.account, ChatScript.account, "note")
    var sent = note
    sent.seq = 0
    let copies = messages(try decoder.decode(note.bytes).facts + decoder.decode(sent.bytes).facts)
    #expect(Set(copies.map(\.key)).count == 1 && copies.allSatisfy(\.isMine))
    #expect(copies.first?.key.conversationID == "si_\(ChatScript.account)_\(ChatScript.account)")
  }

  @Test("a part that cannot be read is refused, and costs the others nothing")
  func refusedPart() throws {
    let payload =
      #"{"msgs":{"sg_1":{"Msgs":[\#(line(1).text),{"contentType":"x"},{"seq":-4,"contentType":101},\#(line(2).text)]}},"#
      + #""notificationMsgs":{"n_1":{"msgs":[\#(WireLine.notice(2101, "not JSON").text)],"isEnd":false}}}"#
    let parts = try decoder.decode(Array(payload.utf8)).parts
    #expect(seqs(parts.flatMap(\.facts)) == [1, 2])
    let codes = parts.compactMap { if case .refused(let error) = $0 { error.code } else { nil } }
    #expect(codes == ["decode.invalid-field", "decode.negative-seq", "decode.unreadable-recall"])
  }

  @Test("what the server knows of seqs: newest ones, and those read")
  func seqAnswers() throws {
    let newest = #"{"maxSeqs":{"si_a_b":12,"sg_9":"400"},"minSeqs":{"sg_9":3,"sg_8":0}}"#
    #expect(
      try decoder.decode(Array(newest.utf8)).facts == [
        .seqs(SeqFact(account: ChatScript.account, conversationID: "si_a_b", serverMaxSeq: 12)),
        .seqs(SeqFact(account: ChatScript.account, conversationID: "sg_9", serverMaxSeq: 400, serverMinSeq: 3)),
      ])
    let read = #"{"seqs":{"sg_9":{"maxSeq":40,"hasReadSeq":38,"maxSeqTime":1718000000000},"sg_1":null}}"#
    #expect(
      try decoder.decode(Array(read.utf8)).facts == [
        .seqs(SeqFact(account: ChatScript.account, conversationID: "sg_9", serverMaxSeq: 40)),
        .read(
          ReadFact(account: ChatScript.account, conversationID: "sg_9", readerID: ChatScript.account, upToSeq: 38)),
      ])
  }

  @Test(
    "empty answers are answers, other objects are not",
    arguments: [
      (#"{"msgs":{}}"#, nil), (#"{"msgs":null,"notificationMsgs":{}}"#, nil), (#"{"msgs":{"sg_1":null}}"#, nil),
      (#"{"msgs":{"sg_1":{"Msgs":null}}}"#, nil), (#"{"maxSeqs":{}}"#, nil), ("{}", "decode.missing-field"),
      (#"{"msgs":[]}"#, "json.type-mismatch"), (#"{"msgs":{"sg_1":{"Msgs":{}}}}"#, "json.type-mismatch"),
      ("[]", "decode.unknown-shape"), ("7", "decode.unknown-shape"), (#"{"msgs":{"#, "json.unexpected-end"),
    ] as [(String, String?)])
  func emptyAnswers(text: String, code: String?) {
    do throws(DecodeError) {
      #expect(try decoder.decode(Array(text.utf8)) == .ignored(.emptyList))
      #expect(code == nil)
    } catch {
      #expect(error.code == code)
    }
  }

  @Test("more parts than the limit are refused as a whole")
  func tooMany() {
    let messages = Array(repeating: "{}", count: Payload.partLimit + 1).joined(separator: ",")
    #expect(throws: DecodeError.tooManyParts(limit: Payload.partLimit)) {
      try decoder.decode(Array("{\"msgs\":{\"sg_1\":{\"Msgs\":[\(messages)]}}}".utf8))
    }
    let entries = Array(repeating: "{}", count: Payload.partLimit + 1).joined(separator: ",")
    #expect(throws: DecodeError.tooManyParts(limit: Payload.partLimit)) {
      try OpenIMCallbackDecoder(account: "a").decode(Array("[\(entries)]".utf8), as: .readReceipts)
    }
  }

  private func line(_ seq: Int64) -> WireLine {
    var line = WireLine()
    (line.seq, line.clientMsgID) = (seq, "m\(seq)")
    return line
  }

  private func push(_ seqs: [Int64]) -> [UInt8] { WireLine.push([("sg_1", seqs.map { line($0) })]) }

  private func messages(_ facts: [Fact]) -> [ChatMessage] {
    facts.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  private func seqs(_ facts: [Fact]) -> [Int64] { messages(facts).map(\.envelope.seq) }

  private func newest(_ facts: [Fact]) -> Int64? {
    facts.compactMap { if case .seqs(let fact) = $0, fact.serverMaxSeq > 0 { fact.serverMaxSeq } else { nil } }.max()
  }
}
