import Foundation
import Testing

@testable import WeirCommandKit

private func generate(_ settings: GeneratorSettings, block: Int = 1 << 14) -> (
  lines: [[UInt8]], report: GeneratorReport
) {
  var generator = MessageGenerator(settings)
  var all: [UInt8] = []
  var hasMore = true
  while hasMore {
    var output: [UInt8] = []
    hasMore = generator.generate(into: &output, upTo: block)
    all += output
  }
  let lines = all.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
  return (Array(lines.dropLast()), generator.report)
}

/// The generated lines of one history, parsed by Foundation.
private struct History {
  let objects: [[String: Any]]
  let report: GeneratorReport

  init(_ settings: GeneratorSettings) throws {
    let result = generate(settings)
    objects = try result.lines.map(jsonObject)
    report = result.report
    #expect(objects.count == report.lines)
  }

  var messages: [[String: Any]] { objects.filter { $0["contentType"] != nil } }
  func messages(_ types: Int...) -> [[String: Any]] { messages.filter { types.contains($0.int("contentType")) } }
}

extension [String: Any] {
  fileprivate func int(_ key: String) -> Int { self[key] as? Int ?? -1 }
  fileprivate func text(_ key: String) -> String { self[key] as? String ?? "" }
  fileprivate func object(_ key: String) -> [String: Any] { self[key] as? [String: Any] ?? [:] }

  /// Conversation id by the rules of the receiving spec §1.4, worked out from the message alone.
  fileprivate func conversationID() -> String {
    if int("sessionType") == 3 { return "sg_" + text("groupID") }
    let pair = [text("sendID"), text("recvID")].sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    return "si_" + pair.joined(separator: "_")
  }
}

@Suite struct `The message generator` {
  @Test func `gives the same bytes for the same settings, whatever the block size`() {
    var settings = GeneratorSettings(
      messages: 1_500, duplicates: 0.1, reorder: 0.2, malformed: 0.05, recalls: 0.05, seed: 7)
    let first = generate(settings)
    let second = generate(settings, block: 1)
    let areEqual = first.lines == second.lines
    #expect(areEqual)
    #expect(first.report == second.report)
    settings.seed = 8
    let areDifferent = generate(settings).lines != first.lines
    #expect(areDifferent)
  }

  @Test func `writes objects that every JSON parser reads, with the members that are always there`() throws {
    let history = try History(GeneratorSettings(messages: 4_000, recalls: 0.02, seed: 3))
    let always = [
      "clientMsgID", "createTime", "sendTime", "sessionType", "msgFrom", "contentType", "senderPlatformID", "seq",
      "isRead", "status", "sendID",
    ]
    for message in history.messages {
      for key in always { #expect(message[key] != nil, "\(key) is missing") }
      #expect(message.text("clientMsgID").wholeMatch(of: /[0-9a-f]{32}/) != nil)
      #expect(message["isRead"] is Bool)
      #expect([1, 2].contains(message.int("status")))
      #expect([100, 200].contains(message.int("msgFrom")))
      #expect(message.int("sessionType") == 3 ? !message.text("groupID").isEmpty : !message.text("recvID").isEmpty)
      #expect(!message.values.contains { ($0 as? String)?.isEmpty == true })
    }
  }

  @Test func `counts what it writes`() throws {
    let history = try History(GeneratorSettings(messages: 5_000, recalls: 0.05, seed: 4))
    let report = history.report
    let kinds: [GeneratedKind: [Int]] = [
      .text: [101], .picture: [102], .file: [105], .atText: [106], .custom: [110], .typing: [113], .quote: [114],
      .unknown: [125, 190, 777, 4_040, 90_001],
    ]
    for (kind, types) in kinds {
      let count = history.messages.count { types.contains($0.int("contentType")) }
      #expect(count == report.kinds[kind] ?? 0)
      #expect(count > 0)
    }
    #expect(report.messages == 5_000)
    #expect(report.kinds.values.reduce(0, +) == 5_000)
    let originals = history.messages.filter { $0.int("contentType") != 2_101 }
    #expect(Set(originals.map { $0.text("clientMsgID") }).count == 5_000)
    #expect(originals.count { $0.int("seq") > 0 } == report.stored)
    #expect(Set(originals.filter { $0.int("seq") > 0 }.map { $0.conversationID() }).count == report.conversations)
    #expect(history.objects.count - history.messages.count == report.recalls[.callback])
    #expect(history.messages(2_101).count { $0.int("msgFrom") == 200 } == report.recalls[.notification])
    #expect(history.messages(2_101).count { $0.int("msgFrom") == 100 } == report.recalls[.row])
    let written = try jsonObject(report.json())
    #expect(written.int("messages") == 5_000)
    #expect(written.object("recalls").int("row") == report.recalls[.row])
  }

  @Test func `counts seq up from one in each conversation, with times that never fall`() throws {
    let history = try History(GeneratorSettings(messages: 4_000, conversations: 30, recalls: 0, seed: 5))
    var last: [String: Int] = [:]
    var time = 0
    for message in history.messages {
      #expect(message.int("sendTime") >= time)
      time = message.int("sendTime")
      guard message.int("contentType") != 113 else {
        #expect(message.int("seq") == 0)
        continue
      }
      let conversation = message.conversationID()
      #expect(message.int("seq") == (last[conversation] ?? 0) + 1)
      last[conversation] = message.int("seq")
    }
    #expect(last.count == history.report.conversations)
    #expect(last.keys.contains { $0.hasPrefix("sg_") } && last.keys.contains { $0.hasPrefix("si_") })
    // Popularity falls with rank as 1/k: the first of 30 gets about a quarter, and far more than the median.
    let sizes = last.values.sorted(by: >)
    #expect(sizes[0] > 700 && sizes[0] > 5 * sizes[15])
  }

  @Test func `puts the account into every single chat`() throws {
    let history = try History(GeneratorSettings(messages: 500, recalls: 0, seed: 6, account: "me_myself"))
    for message in history.messages where message.int("sessionType") == 1 {
      #expect([message.text("sendID"), message.text("recvID")].contains("me_myself"))
    }
  }

  @Test func `gives each content type its element`() throws {
    let history = try History(GeneratorSettings(messages: 6_000, conversations: 20, recalls: 0, seed: 9))
    for message in history.messages(101) { #expect(!message.object("textElem").text("content").isEmpty) }
    for message in history.messages(106) {
      let element = message.object("atTextElem")
      #expect(message.int("sessionType") == 3)
      #expect((element["atUserList"] as? [String])?.count == 1)
      #expect(element.text("text").hasPrefix("@"))
      #expect(element["isAtSelf"] as? Bool == ((element["atUserList"] as? [String]) == ["9000000001"]))
    }
    for message in history.messages(102) {
      #expect(message.object("pictureElem").object("sourcePicture").int("width") >= 600)
    }
    for message in history.messages(110) {
      #expect(try jsonObject(Array(message.object("customElem").text("data").utf8))["kind"] is String)
    }
    for message in history.messages(113) {
      #expect(["yes", "no"].contains(message.object("typingElem").text("msgTips")))
    }
    let byID = Dictionary(grouping: history.messages) { $0.text("clientMsgID") }
    for message in history.messages(114) {
      let quoted = message.object("quoteElem").object("quoteMessage")
      let original = try #require(byID[quoted.text("clientMsgID")]?.first)
      #expect(quoted.conversationID() == message.conversationID())
      #expect(quoted.int("seq") == original.int("seq") && quoted.int("seq") < message.int("seq"))
      if original.int("contentType") != 114 {
        #expect(NSDictionary(dictionary: quoted) == NSDictionary(dictionary: original))
      }
    }
  }

  @Test func `recalls messages that exist, each once, in three forms`() throws {
    let history = try History(GeneratorSettings(messages: 4_000, conversations: 20, recalls: 0.1, seed: 10))
    let originals = Dictionary(
      grouping: history.messages.filter { $0.int("contentType") != 2_101 }, by: { $0.text("clientMsgID") })
    var recalled: [String] = []
    var noticeSeqs: [String: [Int]] = [:]
    for object in history.objects {
      let payload: [String: Any]
      if object["contentType"] == nil {
        payload = object
      } else if object.int("contentType") == 2_101 {
        payload = try jsonObject(Array(object.object("notificationElem").text("detail").utf8))
      } else {
        continue
      }
      let id = payload.text("clientMsgID")
      recalled.append(id)
      let original = try #require(originals[id]?.first)
      #expect(payload.int("seq") == original.int("seq"))
      if object.int("msgFrom") == 200 {
        #expect(payload.text("conversationID") == original.conversationID())
        #expect(payload.int("sesstionType") == original.int("sessionType"))
        #expect(object.conversationID() == original.conversationID())
        noticeSeqs[original.conversationID(), default: []].append(object.int("seq"))
      } else {
        #expect(payload.text("sourceMessageSendID") == original.text("sendID"))
        #expect(payload["isAdminRevoke"] as? Bool == (payload.text("revokerID") != original.text("sendID")))
        if object["contentType"] != nil { #expect(object.text("clientMsgID") == id) }
      }
      let time = payload.int("revokeTime")
      let milliseconds = time < 100_000_000_000 ? time * 1_000 + 999 : time
      #expect(milliseconds >= original.int("sendTime"))
    }
    #expect(Set(recalled).count == recalled.count)
    #expect(recalled.count == history.report.recalls.values.reduce(0, +))
    #expect(RecallForm.allCases.allSatisfy { history.report.recalls[$0, default: 0] > 20 })
    for seqs in noticeSeqs.values { #expect(seqs == Array(1...seqs.count)) }
  }

  @Test func `delivers again either the same bytes or as sent and read`() throws {
    let clean = generate(GeneratorSettings(messages: 3_000, recalls: 0, seed: 11))
    let copied = generate(GeneratorSettings(messages: 3_000, duplicates: 0.2, recalls: 0, seed: 11))
    let all = Set(clean.lines)
    var originals = all
    var exact = 0
    var later = 0
    var byID: [String: [String: Any]] = [:]
    for line in copied.lines {
      let message = try jsonObject(line)
      let id = message.text("clientMsgID")
      if let original = byID[id] {
        if all.contains(line) {
          exact += 1
          continue
        }
        later += 1
        var changed = original
        changed["status"] = 2
        changed["isRead"] = message["isRead"]
        #expect(NSDictionary(dictionary: changed) == NSDictionary(dictionary: message))
        #expect(
          message.int("status") > original.int("status") || message["isRead"] as? Bool != original["isRead"] as? Bool)
      } else {
        let wasExpected = originals.remove(line) != nil
        #expect(wasExpected)
        byID[id] = message
      }
    }
    #expect(originals.isEmpty)
    #expect(exact == copied.report.exactCopies && later == copied.report.laterCopies)
    #expect(exact > 100 && later > 100)
  }

  @Test func `moves lines late by at most the window and loses none`() {
    let clean = generate(GeneratorSettings(messages: 3_000, seed: 12))
    for (reorder, window) in [(0.3, 5), (0.5, 1), (1, 40), (0.5, 4_000)] {
      let moved = generate(GeneratorSettings(messages: 3_000, reorder: reorder, window: window, seed: 12))
      let areMoved = moved.lines != clean.lines
      #expect(areMoved)
      let haveSameLines =
        moved.lines.sorted { $0.lexicographicallyPrecedes($1) }
        == clean.lines.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(haveSameLines)
      let place = Dictionary(clean.lines.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      // A line at index i is late by what came before it although it was generated after it.
      for (index, line) in moved.lines.enumerated() {
        #expect(index - (place[line] ?? .min) <= window)
      }
    }
  }

  @Test func `adds malformed lines without touching the others, each refused by a strict reader`() throws {
    let clean = generate(GeneratorSettings(messages: 1_500, recalls: 0, seed: 13))
    let spoiled = generate(GeneratorSettings(messages: 1_500, malformed: 0.5, recalls: 0, seed: 13))
    let good = Set(clean.lines)
    let bad = spoiled.lines.filter { !good.contains($0) }
    let areKept = spoiled.lines.filter(good.contains) == clean.lines
    #expect(areKept)
    #expect(bad.count == spoiled.report.malformed.values.reduce(0, +))
    #expect(Flaw.allCases.allSatisfy { spoiled.report.malformed[$0, default: 0] > 50 })
    for line in bad { #expect(!isMessage(line), "\(printable(line, limit: 200))") }
  }

  private func isMessage(_ line: [UInt8]) -> Bool {
    guard String(validating: line, as: UTF8.self) != nil, let object = try? parse(line) else {
      return false
    }
    guard let id = object["clientMsgID"] as? String, !id.isEmpty else { return false }
    return ["sendTime", "contentType", "seq"].allSatisfy { key in
      (object[key] as? NSNumber).map { isPlainNumber($0) } ?? false
    }
  }

  private func parse(_ line: [UInt8]) throws -> [String: Any]? {
    try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
  }

  /// Foundation reads `true` as a number too.
  private func isPlainNumber(_ number: NSNumber) -> Bool { String(cString: number.objCType) != "c" }

  @Test func `writes no message twice and everything once for extreme settings`() throws {
    #expect(generate(GeneratorSettings(messages: 0)).lines == [])
    let single = try History(
      GeneratorSettings(messages: 200, conversations: 1, duplicates: 1, reorder: 1, recalls: 1, seed: .max))
    #expect(single.report.messages == 200)
    #expect(single.report.lines == single.objects.count)
  }

  @Test func `picks ranks in proportion to one over rank`() {
    let zipf = ZipfDistribution(count: 10)
    var random = SeededRandom(seed: 1)
    var counts = Array(repeating: 0, count: 10)
    for _ in 0..<100_000 { counts[zipf.pick(using: &random)] += 1 }
    let total = (1...10).reduce(0.0) { $0 + 1 / Double($1) }
    for rank in 0..<10 {
      let expected = 100_000 / (Double(rank + 1) * total)
      #expect(abs(Double(counts[rank]) - expected) < 5 * expected.squareRoot())
    }
    #expect(ZipfDistribution(count: 1).pick(using: &random) == 0)
  }
}
