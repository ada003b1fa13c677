import ChatFixtures
import Synchronization
import Testing
import Weir

@testable import WeirChat

@Suite("Payloads of several parts in a graph")
struct DecodeStageTests {
  @Test("every part comes out, in the payload's order; a refused part with its whole payload; sums agree")
  func parts() async throws {
    let decoder = OpenIMWireDecoder(account: ChatScript.account)
    var second = WireLine()
    (second.clientMsgID, second.seq) = ("m2", 42)
    var transient = WireLine()
    transient.options = [("history", false)]
    var broken = WireLine()
    broken.seq = -1
    let payloads = [
      WireLine.push([(WireLine.conversation, [WireLine(), transient, broken, second])]),
      WireLine.notice(1703, #"{"conversationIDs":["a","b"]}"#).bytes, WireLine().bytes, Array("{".utf8),
      Array(#"{"msgs":{}}"#.utf8),
    ]
    let more = Mutex(0)
    let stage = DecodeStage(
      decoder, bytes: { $0 }, onSeveral: { _, count in more.withLock { $0 += count - 1 } })
    let blueprint = try Blueprint("decode") { graph in
      graph.source("payloads", payloads).via("decode", stage).collect("all")
    }
    let all: [DecodedLine<[UInt8]>] = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(
      all.map(\.kind) == [
        .facts, .events, .refused, .facts, .facts,  // the push, with its newest seq
        .facts, .facts, .facts,  // two clears and the notice's own seq
        .facts, .refused, .events,
      ])
    #expect(all.count == payloads.count + more.withLock { $0 })
    guard case .refused(let payload, let error) = all[2] else { return }
    #expect(payload == payloads[0] && error == .negativeSeq(-1))
    #expect(all.compactMap(\.fact) == payloads.flatMap { (try? decoder.decode($0).facts) ?? [] })
  }

  @Test("a line that holds a message and an event gives both")
  func messageAndEvent() throws {
    var stage = DecodeStage(OpenIMCallbackDecoder(account: ChatScript.account), bytes: { (line: [UInt8]) in line })
    var line = CallbackLine.group("", id: "m", seq: 4)
    (line.contentType, line.element) = (1508, ("notificationElem", #"{"detail":"{}"}"#))
    var kinds: [DecodedLine<[UInt8]>.Kind] = []
    stage.process(line.bytes) { kinds.append($0.kind) }
    #expect(kinds == [.facts, .events])
  }
}
