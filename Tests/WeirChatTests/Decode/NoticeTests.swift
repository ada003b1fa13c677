import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Notices")
struct NoticeTests {
  private let me = ChatScript.account
  private let wire = OpenIMWireDecoder(account: ChatScript.account)
  private let callbacks = OpenIMCallbackDecoder(account: ChatScript.account)
  private var twin: String { "n_\(me)_\(me)" }

  /// The notice's own seq, which carries nothing to show.
  private var own: Fact { .seqs(SeqFact(account: me, conversationID: twin, closed: [7...7])) }

  @Test("2101 recall: who, what and where; the notice's own seq is closed in its twin")
  func recall() throws {
    let detail =
      #"{"revokerUserID":"bob","clientMsgID":"m","revokeTime":1718000100,"sesstionType":3,"seq":9,"conversationID":"sg_9","isAdminRevoke":true}"#
    let record = RecallRecord(time: 1_718_000_100_000, revokerID: "bob", isByAdmin: true, seq: 9)
    let recall = RecallFact(account: me, target: .conversation("sg_9"), clientMsgID: "m", record: record)
    #expect(try wire.decode(WireLine.notice(2101, detail).bytes).facts == [.recall(recall), own])
  }

  @Test("a recall that names only the seq is a recall by seq; one that names nothing is refused")
  func recallBySeq() throws {
    let facts = try wire.decode(WireLine.notice(2101, #"{"seq":9,"conversationID":"sg_9"}"#).bytes).facts
    guard case .recall(let recall)? = facts.first else {
      Issue.record("\(facts)")
      return
    }
    #expect(recall.clientMsgID.isEmpty && recall.record.seq == 9 && recall.target == .conversation("sg_9"))
    #expect(throws: DecodeError.unreadableRecall) { try wire.decode(WireLine.notice(2101, "{}").bytes) }
  }

  @Test("a recall in the twin without a conversation is about the conversation of its parties")
  func recallOfParties() throws {
    var line = WireLine.notice(2101, #"{"clientMsgID":"m","revokeTime":5}"#)
    line.sendID = "bob"
    guard case .recall(let recall)? = try wire.decode(line.bytes).facts.first else { return }
    #expect(recall.target == .conversation("si_\(me)_bob"))
  }

  @Test(
    "a recall read back by a pull is the row itself, with the record bare or as detail, by either name of the revoker")
  func recalledRow() throws {
    let record = #"{"revokerID":"bob","revokerRole":60,"clientMsgID":"m","revokeTime":1718000100000,"seq":9}"#
    for content in [record, "{\"detail\":\(CallbackLine.quoted(record))}"] {
      var row = WireLine()
      (row.clientMsgID, row.contentType, row.content, row.seq) = ("m", 2101, content, 9)
      guard case .recall(let recall) = try wire.decode(row.bytes, conversationID: "sg_9") else {
        Issue.record("not a recall")
        return
      }
      #expect(recall.clientMsgID == "m" && recall.target == .conversation("sg_9"))
      #expect(recall.record == RecallRecord(time: 1_718_000_100_000, revokerID: "bob", revokerRole: 60, seq: 9))
      #expect(recall.original?.envelope.seq == 9 && recall.original?.body == .absent)
    }
  }

  @Test("2102 delete: by my own hand for me alone, by another's for all")
  func delete() throws {
    for (user, scope) in [(me, DeleteFact.Scope.forSelf), ("", .forSelf), ("bob", .forAll)] {
      let detail = #"{"userID":"\#(user)","conversationID":"sg_9","seqs":[3,0,"4",-1]}"#
      let fact = DeleteFact(account: me, conversationID: "sg_9", targets: [.seq(3), .seq(4)], scope: scope)
      #expect(try wire.decode(WireLine.notice(2102, detail).bytes).facts == [.delete(fact), own])
    }
  }

  @Test("2200 read: the reader's watermark and single seqs, at the notice's time")
  func read() throws {
    let detail = #"{"markAsReadUserID":"bob","conversationID":"si_a_b","seqs":[3,4],"hasReadSeq":9}"#
    let fact = ReadFact(
      account: me, conversationID: "si_a_b", readerID: "bob", upToSeq: 9, messages: [.seq(3), .seq(4)],
      time: 1_718_000_000_123)
    #expect(try wire.decode(WireLine.notice(2200, detail).bytes).facts == [.read(fact), own])
    // Not stored by the server: no seq of its own.
    var transient = WireLine.notice(2200, detail, seq: 0)
    transient.options.append(("history", false))
    #expect(try wire.decode(transient.bytes).facts == [.read(fact)])
    // The reader may be the sender of the notice.
    let bare = WireLine.notice(2200, #"{"conversationID":"si_a_b","seqs":null,"hasReadSeq":9}"#)
    guard case .read(let own)? = try wire.decode(bare.bytes).facts.first else { return }
    #expect(own.readerID == me && own.upToSeq == 9)
  }

  @Test("1703 clear: each conversation up to the notice's time; without a time it asks to fetch again")
  func clear() throws {
    var line = WireLine.notice(1703, #"{"userID":"me","conversationIDs":["sg_1","","si_a_b"]}"#)
    let facts = ["sg_1", "si_a_b"].map {
      Fact.clear(ClearFact(account: me, conversationID: $0, upToTime: 1_718_000_000_123))
    }
    #expect(try wire.decode(line.bytes).facts == facts + [own])
    line.sendTime = 0
    let parts = try wire.decode(line.bytes).parts
    guard case .notice(let notice)? = parts.last else {
      Issue.record("\(parts)")
      return
    }
    #expect(notice.conversationIDs == ["sg_1", "si_a_b"] && parts.flatMap(\.facts) == [own])
  }

  @Test("1701 privacy: a property of the conversation it names, or of its parties")
  func privacy() throws {
    for detail in [
      #"{"recvID":"b","sendID":"a","isPrivate":true,"conversationID":"si_a_b"}"#,
      #"{"recvID":"b","sendID":"a","isPrivate":true}"#,
    ] {
      let fact = ConversationFact(
        account: me, conversationID: "si_a_b", revision: 1_718_000_000_123, properties: [.isPrivate(true)])
      #expect(try wire.decode(WireLine.notice(1701, detail).bytes).facts == [.conversation(fact), own])
    }
  }

  @Test("1300 conversations changed elsewhere: an event that names them")
  func conversations() throws {
    let detail = #"{"userID":"me","conversationIDList":["sg_1","si_a_b"]}"#
    let parts = try wire.decode(WireLine.notice(1300, detail).bytes).parts
    #expect(parts.flatMap(\.facts) == [own])
    let event = NoticeEvent(
      account: me, contentType: 1300, subject: .conversations, conversationIDs: ["sg_1", "si_a_b"],
      time: 1_718_000_000_123, detail: Array(detail.utf8))
    #expect(parts.last == .notice(event))
  }

  @Test("2001 business: an event with whatever it says, JSON or not", arguments: [#"{"key":"k"}"#, "free words", ""])
  func business(detail: String) throws {
    let parts = try wire.decode(WireLine.notice(2001, detail).bytes).parts
    guard case .notice(let notice)? = parts.last else {
      Issue.record("\(parts)")
      return
    }
    #expect(notice.subject == .business && notice.detail == Array(detail.utf8))
    #expect(parts.flatMap(\.facts) == [own])
  }

  @Test(
    "the ranges: an event that says which lists are stale, and nothing to show in the twin",
    arguments: [
      (1201, NoticeEvent.Subject.friends, [SocialFact.Scope.friendRequests, .friendships]),
      (1203, .friends, [.friendRequests]), (1204, .friends, [.friendships]), (1208, .friends, [.blocks]),
      (1299, .friends, [.friendRequests, .friendships, .blocks]), (1301, .user, []), (1303, .user, []),
      (1399, .user, []), (1501, .group, [.groups, .groupMembers]), (1503, .group, [.groupJoinRequests]),
      (1511, .group, [.groups]), (1516, .group, [.groupMembers]),
      (1599, .group, [.groups, .groupMembers, .groupJoinRequests]),
    ] as [(Int, NoticeEvent.Subject, [SocialFact.Scope])])
  func ranges(number: Int, subject: NoticeEvent.Subject, scopes: [SocialFact.Scope]) throws {
    let parts = try wire.decode(WireLine.notice(number, #"{"group":{}}"#).bytes).parts
    let notices = parts.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    #expect(notices.map(\.subject) == [subject])
    #expect(notices.first?.scopes == scopes)
    #expect(notices.first?.detail == Array(#"{"group":{}}"#.utf8))
    #expect(parts.flatMap(\.facts) == [own])
  }

  @Test("a group's notice in its conversation is shown, and asks to fetch the group again")
  func shownNotice() throws {
    var line = CallbackLine.group("", id: "m", seq: 4)
    (line.contentType, line.element) = (1508, ("notificationElem", #"{"detail":"{}"}"#))
    let parts = try callbacks.decode(line.bytes).parts
    guard parts.count == 2, case .message(let message) = parts[0], case .notice(let notice) = parts[1] else {
      Issue.record("\(parts)")
      return
    }
    #expect(message.content == .notification(.init(contentType: 1_508, detail: "{}")) && message.marks == [])
    #expect(notice.groupID == "3027148891" && notice.conversationIDs == ["sg_3027148891"])
  }

  @Test(
    "an unknown notice in the twin is an event, and kept hidden for a later version", arguments: [1652, 1702, 1704])
  func unknown(number: Int) throws {
    let parts = try wire.decode(WireLine.notice(number, "{}").bytes).parts
    guard parts.count == 2, case .message(let message) = parts[0], case .notice(let notice) = parts[1] else {
      Issue.record("\(parts)")
      return
    }
    #expect(message.marks == [.filtered, .quiet] && message.key.conversationID == twin && notice.subject == .other)
  }

  @Test("2150 and 2155 are stale: kept hidden, and nobody has read anything", arguments: [2150, 2155])
  func stale(number: Int) throws {
    var line = CallbackLine()
    (line.contentType, line.element) = (number, ("notificationElem", #"{"detail":"{\"seqs\":[1]}"}"#))
    guard case .message(let message) = try callbacks.decode(line.bytes) else {
      Issue.record("not a message")
      return
    }
    #expect(message.marks == [.filtered, .quiet])
  }

  @Test(
    "a notice that changes state but cannot be read is kept hidden with its line; without an id it is refused",
    arguments: [1300, 1701, 1703, 2102, 2200])
  func unreadable(number: Int) throws {
    for element in [("", ""), ("notificationElem", "{}"), ("notificationElem", #"{"detail":"{\"seqs\":5}"}"#)] {
      var line = CallbackLine()
      (line.contentType, line.element) = (number, element)
      guard case .message(let message) = try callbacks.decode(line.bytes) else {
        Issue.record("not kept: \(number) \(element)")
        continue
      }
      #expect(message.marks == [.filtered, .quiet])
      line.clientMsgID = ""
      #expect(throws: DecodeError.unreadableNotice(contentType: Int32(number))) { try callbacks.decode(line.bytes) }
    }
  }

  @Test("a callback does not tell whose seq a notice has, so it closes none", arguments: [2102, 2200])
  func callbackSeq(number: Int) throws {
    var line = CallbackLine()
    let detail = CallbackLine.quoted(#"{"conversationID":"sg_9","seqs":[1],"markAsReadUserID":"bob"}"#)
    (line.contentType, line.element) = (number, ("notificationElem", "{\"detail\":\(detail)}"))
    let facts = try callbacks.decode(line.bytes).facts
    #expect(facts.count == 1)
    if case .seqs? = facts.first { Issue.record("a seq was closed") }
  }
}
