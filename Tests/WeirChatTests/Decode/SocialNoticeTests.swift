import ChatFixtures
import Foundation
import Testing
import Weir
import WeirStore

@testable import WeirChat

/// Notices of the server that carry rows of the lists of people (12xx and 15xx): the rows are stored, so that the lists
/// can be queried, and the notice still says which lists may be stale beyond that.
@Suite("Notices that carry rows of people")
struct SocialNoticeTests {
  private let me = ChatScript.account
  private let time: Int64 = 1_718_000_000_123

  private func user(_ id: String, _ more: String = "") -> String { #"{"groupID":"g","userID":"\#(id)"\#(more)}"# }
  private func group(_ name: String, count: Int = 3) -> String {
    #"{"groupID":"g","groupName":"\#(name)","memberCount":\#(count)}"#
  }

  /// What is delivered, in order, through decoder and store.
  private func inbox(_ notices: [(number: Int, detail: String, after: Int64)]) async throws -> Inbox {
    let inbox = try await Inbox()
    let lines = notices.enumerated().map { index, notice in
      var line = WireLine.notice(notice.number, notice.detail, seq: Int64(index + 1))
      line.clientMsgID = "n\(index)"
      line.sendTime = time + notice.after
      return line.bytes
    }
    let decoder = OpenIMWireDecoder(account: me)
    let blueprint = try Blueprint("people") { graph in
      graph.source("lines", lines).via("decode", DecodeStage(decoder, bytes: { $0 }))
        .compactMap("facts") { $0.fact }.via("projection", ProjectionStage(inbox.store)).ignore("end")
    }
    try await blueprint.run()
    return inbox
  }

  private func texts(_ entries: Snapshot<[SocialEntry]>) -> [String: String] {
    Dictionary(uniqueKeysWithValues: entries.value.map { ($0.entityID, String(decoding: $0.payload, as: UTF8.self)) })
  }

  @Test("friends: one who was added is there with his row, one who was deleted is not")
  func friends() async throws {
    func added(_ id: String) -> String {
      #"{"friend":{"ownerUserID":"\#(me)","remark":"r","friendUser":{"userID":"\#(id)","nickname":"N"}},"opUser":{}}"#
    }
    let row = #"{"ownerUserID":"\#(me)","remark":"r","friendUser":{"userID":"bob","nickname":"N"}}"#
    let inbox = try await inbox([
      (1204, added("bob"), 0), (1204, added("eve"), 0),
      (1205, #"{"fromToUserID":{"fromUserID":"\#(me)","toUserID":"eve"}}"#, 5),
      // Overtaken on the way, and a friendship of others.
      (1204, added("eve"), 2), (1204, added("al").replacingOccurrences(of: me, with: "other"), 9),
    ])
    #expect(texts(try await inbox.store.friendships()) == ["bob": row])
    try await inbox.finish()
  }

  @Test("blocks and requests: one who was unblocked is gone, a request stands under its sender and its receiver")
  func blocksAndRequests() async throws {
    let request = #"{"fromUserID":"bob","toUserID":"\#(me)","reqMsg":"hi","handleResult":0}"#
    let handled = #"{"fromUserID":"bob","toUserID":"\#(me)","reqMsg":"hi","handleResult":1}"#
    let inbox = try await Inbox()
    _ = try await inbox.store.apply([
      .social(SocialFact(account: me, scope: .blocks, entityID: "eve", revision: time, payload: Array("{}".utf8)))
    ])
    let decoder = OpenIMWireDecoder(account: me)
    func deliver(_ number: Int, _ detail: String, _ after: Int64) async throws {
      var line = WireLine.notice(number, detail)
      line.sendTime = time + after
      _ = try await inbox.store.apply(decoder.decode(line.bytes).facts)
    }
    let parties = #""fromToUserID":{"fromUserID":"bob","toUserID":"\#(me)"}"#
    try await deliver(1203, #"{\#(parties),"request":\#(request)}"#, 1)
    #expect(texts(try await inbox.store.friendRequests()).values.sorted() == [request])
    try await deliver(1201, #"{\#(parties),"handleMsg":"","request":\#(handled)}"#, 2)
    #expect(texts(try await inbox.store.friendRequests()).values.sorted() == [handled])
    // Of older servers, which send no row.
    try await deliver(1203, "{\(parties)}", 3)
    #expect(texts(try await inbox.store.friendRequests()).values.sorted() == [handled])
    #expect(texts(try await inbox.store.blocks()) == ["eve": "{}"])
    try await deliver(1208, #"{"fromToUserID":{"fromUserID":"\#(me)","toUserID":"eve"}}"#, 4)
    #expect(try await inbox.store.blocks().value.isEmpty)
    try await inbox.finish()
  }

  @Test("a group's life: made, renamed, members come, change and go; each list holds the latest row")
  func group() async throws {
    let inbox = try await inbox([
      (1501, #"{"group":\#(group("one")),"opUser":\#(user("al")),"memberList":[\#(user(me)),\#(user("al"))]}"#, 0),
      (1520, #"{"opUser":\#(user("al")),"group":\#(group("two"))}"#, 1),
      (1509, #"{"group":\#(group("two", count: 4)),"invitedUserList":[\#(user("bob")),\#(user("cy"))]}"#, 2),
      (1510, #"{"group":\#(group("two", count: 5)),"entrantUser":\#(user("dan"))}"#, 3),
      (1508, #"{"group":\#(group("two", count: 4)),"kickedUserList":[\#(user("bob"))]}"#, 4),
      (1504, #"{"group":\#(group("two")),"quitUser":\#(user("cy"))}"#, 5),
      (1516, #"{"group":\#(group("two")),"changedUser":\#(user("dan", #","nickname":"D""#))}"#, 6),
      (
        1507,
        #"{"group":\#(group("three")),"newGroupOwner":\#(user("dan", #","roleLevel":100"#)),"oldGroupOwner":"al","oldGroupOwnerInfo":\#(user("al", #","roleLevel":20"#))}"#,
        7
      ),
    ])
    #expect(texts(try await inbox.store.groups()) == ["g": group("three")])
    #expect(
      texts(try await inbox.store.groupMembers(of: "g")) == [
        me: user(me), "al": user("al", #","roleLevel":20"#), "dan": user("dan", #","roleLevel":100"#),
      ])
    try await inbox.finish()
  }

  @Test("who is put out of a group, or whose group is dismissed, is in it no more; older notices change nothing")
  func leaving() async throws {
    let made = #"{"group":\#(group("one")),"memberList":[\#(user(me)),\#(user("al"))]}"#
    for (number, detail) in [
      (1508, #"{"group":\#(group("one")),"kickedUserList":[\#(user(me))]}"#),
      (1504, #"{"group":\#(group("one")),"quitUser":\#(user(me))}"#), (1511, #"{"group":\#(group("one"))}"#),
    ] {
      let inbox = try await inbox([(number, detail, 5), (1501, made, 0), (1502, #"{"group":\#(group("old"))}"#, 3)])
      #expect(try await inbox.store.groups().value.isEmpty, "\(number)")
      try await inbox.finish()
    }
  }

  @Test("requests to join stand at their group, under who asks; an answer to one is its latest row")
  func joinRequests() async throws {
    func request(_ result: Int) -> String {
      #"{"userInfo":{"userID":"bob"},"groupInfo":{"groupID":"g"},"handleResult":\#(result)}"#
    }
    let inbox = try await inbox([
      (1503, #"{"group":\#(group("one")),"applicant":{"userID":"bob"},"reqMsg":"hi","request":\#(request(0))}"#, 0),
      (1506, #"{"group":\#(group("one")),"handleMsg":"no","receiverAs":1,"request":\#(request(-1))}"#, 1),
    ])
    #expect(texts(try await inbox.store.groupJoinRequests(of: "g")) == ["bob": request(-1)])
    // The one who asks is told of a group he is not in.
    #expect(try await inbox.store.groups().value.isEmpty)
    try await inbox.finish()
  }

  @Test(
    "rows that are no rows, lists of the wrong kind and notices without a time store nothing, and still say what is stale",
    arguments: [
      (1204, #"{"friend":5}"#), (1204, #"{"friend":{"friendUser":{"userID":""}}}"#), (1204, "[]"), (1204, "nonsense"),
      (1205, #"{"fromToUserID":[]}"#), (1501, #"{"group":{"groupID":7},"memberList":{}}"#), (1502, #"{"group":null}"#),
      (1509, #"{"group":{"groupID":"g"},"invitedUserList":[1,null,{"userID":""}]}"#), (1510, "{}"), (1599, "{}"),
      (1207, #"{"fromToUserID":{"fromUserID":"a","toUserID":"b"}}"#),
    ] as [(Int, String)])
  func broken(number: Int, detail: String) throws {
    let parts = try OpenIMWireDecoder(account: me).decode(WireLine.notice(number, detail).bytes).parts
    let people = parts.flatMap(\.facts).filter { if case .social = $0 { true } else { false } }
    if number != 1509 { #expect(people.isEmpty) }
    #expect(parts.contains { if case .notice(let notice) = $0 { !notice.scopes.isEmpty } else { false } })
    var timeless = WireLine.notice(1204, #"{"friend":{"ownerUserID":"\#(me)","friendUser":{"userID":"bob"}}}"#)
    timeless.sendTime = 0
    let facts = try OpenIMWireDecoder(account: me).decode(timeless.bytes).facts
    #expect(!facts.contains { if case .social = $0 { true } else { false } })
  }

  @Test("a notice that is shown in its group stores its rows as well")
  func shown() throws {
    var line = CallbackLine.group("", id: "m", seq: 4)
    let detail = #"{"group":{"groupID":"g"},"kickedUserList":[{"groupID":"g","userID":"bob"}]}"#
    (line.contentType, line.element) = (1508, ("notificationElem", "{\"detail\":\(CallbackLine.quoted(detail))}"))
    let facts = try OpenIMCallbackDecoder(account: me).decode(line.bytes).facts
    let people = facts.compactMap { if case .social(let fact) = $0 { fact } else { nil } }
    #expect(facts.count == 3 && people.map(\.scope) == [.groups, .groupMembers])
    #expect(people.last?.isRemoved == true && people.last?.entityID == "bob" && people.last?.scopeID == "g")
  }
}
