import ChatFixtures
import Foundation
import Testing

@testable import WeirChat

@Suite("Damaged payloads")
struct DecodeFuzzTests {
  /// A decoder of a shape, and payloads of it.
  private struct Shape: Sendable {
    var decode: @Sendable ([UInt8]) throws(DecodeError) -> Decoded
    var payloads: [[UInt8]]
  }

  private static let callbacks = OpenIMCallbackDecoder(account: ChatScript.account)
  private static let wire = OpenIMWireDecoder(account: ChatScript.account)
  private static let hooks = OpenIMWebhookDecoder(account: ChatScript.account)

  @Test("random damage to any shape never traps, gives exactly one outcome, and takes bounded memory")
  func damaged() throws {
    var random = SeededRandom(20_250_107)
    let shapes = Self.shapes
    var counts = (facts: 0, events: 0, refused: 0)
    let rounds = soak(60_000, 1_000_000)
    var residentHalfway = 0
    for round in 0..<rounds {
      let shape = random.pick(shapes)
      var payload = random.pick(shape.payloads)
      damage(&payload, &random)
      if random.once(in: 20) { splice(&payload, random.pick(shape.payloads), &random) }
      // Now and then a payload comes to the wrong decoder.
      let decode = random.once(in: 10) ? random.pick(shapes).decode : shape.decode
      do throws(DecodeError) {
        let decoded = try decode(payload)
        expectSound(decoded, payload)
        if decoded.facts.isEmpty { counts.events += 1 } else { counts.facts += 1 }
      } catch {
        counts.refused += 1
        if error.code.isEmpty || error.remedy.isEmpty { Issue.record("\(error)") }
      }
      if round == rounds / 2 { residentHalfway = Self.resident }
    }
    #expect(counts.facts + counts.events + counts.refused == rounds)
    #expect(min(counts.facts, counts.events, counts.refused) > rounds / 100)
    // Other tests share the process, so only the long form, run alone, tells something.
    if rounds >= 1_000_000 { #expect(Self.resident - residentHalfway < 64 << 20) }
  }

  /// Whether a result is one outcome, complete and not larger than its payload allows. Plain comparisons: a million
  /// expectations would take longer than the decoding.
  private func expectSound(_ decoded: Decoded, _ payload: [UInt8]) {
    if let fault = fault(in: decoded, size: payload.count) {
      Issue.record("\(fault): \(String(decoding: payload, as: UTF8.self))")
    }
  }

  private func fault(in decoded: Decoded, size: Int) -> String? {
    switch decoded {
    case .several(let parts) where parts.count < 2: return "a lone part"
    case .refused: return "a payload of one part that is refused must throw"
    default: break
    }
    var weight = 0
    for part in decoded.parts {
      switch part {
      case .several(_) where decoded.parts.count > 1: return "nested parts"
      case .facts(let facts) where facts.isEmpty: return "no facts"
      default: break
      }
      weight += DecodedLine<[UInt8]>.outcomes(of: part, line: []).count * 1_024
      for fact in part.facts {
        if fact.account != ChatScript.account { return "another account" }
        if case .message(let message) = fact {
          if message.key.clientMsgID.isEmpty || message.key.conversationID.isEmpty { return "no key" }
          if message.envelope.seq < 0 { return "a negative seq" }
          weight += fact.weight
        }
        if case .social(let entry) = fact {
          if entry.entityID.isEmpty || entry.revision <= 0 { return "no entry" }
          weight += fact.weight
        }
        if case .seqs(let seqs) = fact, (seqs.closed + seqs.answered).contains(where: { $0.lowerBound < 1 }) {
          return "a seq below 1"
        }
      }
    }
    return weight > 64 * size + 8_192 ? "weighs \(weight) of \(size) bytes" : nil
  }

  private static var shapes: [Shape] {
    let kinds: [CallbackKind] = [.newMessage, .onlineOnlyMessage, .deleted, .recalled, .typing, .readReceipts]
    return [
      Shape(decode: { (payload) throws(DecodeError) in try callbacks.decode(payload) }, payloads: callbackPayloads),
      Shape(
        decode: { (payload) throws(DecodeError) in
          try callbacks.decode(payload, as: kinds[payload.count % kinds.count], receivedAt: 5)
        }, payloads: callbackPayloads),
      Shape(
        decode: { (payload) throws(DecodeError) in try callbacks.decode(payload, as: .conversations) },
        payloads: [conversations]),
      Shape(decode: { (payload) throws(DecodeError) in try wire.decode(payload) }, payloads: wirePayloads),
      Shape(
        decode: { (payload) throws(DecodeError) in
          try PullReader(wire).decode(
            payload, answering: [PullRequest(conversationID: "sg_1", seqs: [1...100], limit: 3)])
        }, payloads: wirePayloads),
      Shape(
        decode: { (payload) throws(DecodeError) in try hooks.decode(payload) },
        payloads: contents.map { number, content in
          var line = WireLine()
          (line.contentType, line.content, line.rendition) = (number, content, .text)
          line.more = [#""callbackCommand":"callbackAfterSendSingleMsgCommand","faceURL":"f","atUserList":["a"]"#]
          return line.bytes
        }),
    ]
  }

  private static var contents: [(Int, String)] {
    ContentTests.table.map { ($0.0, $0.2) } + [
      (2101, #"{"detail":"{\"revokerUserID\":\"b\",\"clientMsgID\":\"m\",\"revokeTime\":5,\"seq\":3}"}"#),
      (2102, #"{"detail":"{\"userID\":\"b\",\"conversationID\":\"sg_1\",\"seqs\":[1,2]}"}"#),
      (2200, #"{"detail":"{\"markAsReadUserID\":\"b\",\"seqs\":[1],\"hasReadSeq\":2}"}"#),
      (1703, #"{"detail":"{\"conversationIDs\":[\"a\",\"b\"]}"}"#),
      (1701, #"{"detail":"{\"sendID\":\"a\",\"recvID\":\"b\",\"isPrivate\":true}"}"#),
      (1300, #"{"detail":"{\"conversationIDList\":[\"a\"]}"}"#), (2001, #"{"detail":"x"}"#),
      (1203, #"{"detail":"{\"request\":{\"fromUserID\":\"b\",\"toUserID\":\"c\",\"reqMsg\":\"hi\"}}"}"#),
      (1204, #"{"detail":"{\"friend\":{\"ownerUserID\":\"7315502264\",\"friendUser\":{\"userID\":\"b\"}}}"}"#),
      (1205, #"{"detail":"{\"fromToUserID\":{\"fromUserID\":\"7315502264\",\"toUserID\":\"b\"}}"}"#),
      (
        1508,
        #"{"detail":"{\"group\":{\"groupID\":\"g\"},\"kickedUserList\":[{\"userID\":\"b\"},{\"userID\":\"c\"}]}"}"#
      ),
      (113, #"{"msgTips":"yes"}"#),
    ]
  }

  private static var callbackPayloads: [[UInt8]] {
    var payloads = ChatScript.lines(seed: 11, count: 40)
    for (number, key, json, _, _) in ContentTests.table {
      var line = CallbackLine()
      (line.contentType, line.element) = (number, (key, json))
      line.more = [#""attachedInfoElem":{"groupHasReadInfo":{"hasReadUserIDList":["a"]},"hasReadTime":5}"#]
      payloads.append(line.bytes)
    }
    payloads.append(Array(CallbackLine().recallCallback(by: "b", at: 5).utf8))
    payloads.append(Array(#"{"conversationID":"c","userID":"u","platformIDs":[1]}"#.utf8))
    payloads.append(
      Array(
        #"[{"userID":"u","msgIDList":["a","b"],"readTime":5,"sessionType":1},{"userID":"v","msgIDList":["c"]}]"#.utf8))
    payloads.append(conversations)
    return payloads
  }

  private static var wirePayloads: [[UInt8]] {
    var lines: [WireLine] = []
    for (number, content) in contents {
      for rendition in WireLine.Rendition.allCases {
        var line = WireLine()
        (line.contentType, line.content, line.rendition) = (number, content, rendition)
        line.options = [("isNotNotification", number < 1_000), ("notPrivate", number != 101)]
        line.more = [#""attachedInfo":"{\"isPrivateChat\":true,\"hasReadTime\":9}""#]
        lines.append(line)
      }
    }
    return lines.map(\.bytes) + [
      WireLine.push([("sg_1", Array(lines.prefix(4))), ("n_1", Array(lines.suffix(4)))]),
      WireLine.push([("n_1", Array(lines.suffix(6)))], key: "notificationMsgs"),
      Array(#"{"maxSeqs":{"a":1,"b":"2"},"minSeqs":{"a":1}}"#.utf8),
      Array(#"{"seqs":{"a":{"maxSeq":3,"hasReadSeq":2}}}"#.utf8),
    ]
  }

  private static var conversations: [UInt8] {
    let latest = CallbackLine.quoted(CallbackLine.group("x", id: "m", seq: 4).text)
    return Array(
      #"[{"conversationID":"c","showName":"n","recvMsgOpt":1,"latestMsg":\#(latest),"draftText":"d","draftTextTime":5,"maxSeq":4,"isPinned":true},{"conversationID":"d","burnDuration":5,"latestMsg":""}]"#
        .utf8)
  }

  /// Puts a piece of another payload in.
  private func splice(_ payload: inout [UInt8], _ other: [UInt8], _ random: inout SeededRandom) {
    guard !other.isEmpty else { return }
    let start = random.below(other.count)
    let piece = other[start..<min(other.count, start + random.below(80))]
    payload.insert(contentsOf: piece, at: random.below(payload.count + 1))
  }

  /// Bytes of memory that the process has, 0 where that cannot be read.
  private static var resident: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
  }
}
