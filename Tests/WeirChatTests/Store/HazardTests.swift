import Testing
import WeirStore

@testable import WeirChat

/// The hazards of receiving spec §2.6 that fall to the store, through the public graph.
@Suite("Hazards")
struct HazardTests {
  @Test("D1: one batch holds a message twice: one row, one change, one unread, both seqs lead to it")
  func d1() async throws {
    let inbox = try await Inbox()
    let changes = try await inbox.deliver([Make.message("m", seq: 11), Make.message("m", seq: 12)])
    #expect(changes.map(\.clientMsgIDs) == [["m"]])
    #expect(try await inbox.unread() == 1)
    #expect(try await inbox.ids() == ["m"])
    #expect(try await inbox.store.gaps(in: Make.group).value.ranges == [1...10])
    for (seq, text) in [(Int64(12), "by twelve"), (11, "by eleven")] {
      try await inbox.deliver([Make.edit(.seq(seq), version: 13 - seq, text: text)])
      #expect(try await inbox.texts() == [text])
    }
    try await inbox.finish()
  }

  @Test("D2: a batch of 11, 11, 13 behind 10 leaves 12 missing, whatever its count says")
  func d2() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.seqs(answered: [1...9]), Make.message("j", seq: 10)])
    try await inbox.deliver([
      Make.message("k", seq: 11), Make.message("k", seq: 11), Make.message("m", seq: 13),
    ])
    #expect(try await inbox.store.gaps(in: Make.group).value.ranges == [12...12])
    #expect(try await inbox.line()?.unfetched == 1)
    try await inbox.deliver([Make.message("l", seq: 12)])
    #expect(try await inbox.store.gaps(in: Make.group).value.isEmpty)
    #expect(try await inbox.unread() == 4)
    try await inbox.finish()
  }

  @Test("D3: a batch of 12, 11 behind 10 is applied whole, in order of place")
  func d3() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.seqs(answered: [1...10])])
    try await inbox.deliver([Make.message("b", seq: 12), Make.message("a", seq: 11)])
    #expect(try await inbox.ids() == ["a", "b"])
    #expect(try await inbox.unread() == 2)
    #expect(try await inbox.store.gaps(in: Make.group).value.isEmpty)
    try await inbox.finish()
  }

  @Test("D4: a message stored under 12 and then 11 is recalled by either seq", arguments: [11, 12] as [Int64])
  func d4(seq: Int64) async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("m", seq: 12)], [Make.message("m", seq: 11)])
    let changes = try await inbox.deliver([Make.recall(seq: seq)])
    #expect(changes.map(\.clientMsgIDs) == [["m"]])
    #expect(try await inbox.texts() == ["-"])
    #expect(try await inbox.shown().map(\.state) == [.recalled])
    try await inbox.finish()
  }

  @Test("D5: a recall ahead of its message holds: the text is never shown")
  func d5() async throws {
    let inbox = try await Inbox()
    let early = try await inbox.deliver([Make.recall(seq: 11)])
    #expect(early.isEmpty)
    #expect(try await inbox.store.orphans(in: Make.group).value.map(\.target) == [.seq(11)])
    try await inbox.deliver([Make.message("m", seq: 11)])
    #expect(try await inbox.texts() == ["-"])
    #expect(try await inbox.unread() == 0)
    #expect(try await inbox.store.orphans(in: Make.group).value.isEmpty)
    try await inbox.finish()
  }

  @Test("D6: a receipt ahead of its message: the message is born read, with the time of the reading")
  func d6() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.read([.seq(11)], by: Make.peer, at: 77, in: Make.single)])
    try await inbox.deliver([Make.read(12, by: Make.peer, at: 88, in: Make.single)])
    try await inbox.deliver([
      Make.message("m", seq: 11, from: Make.account, in: Make.single),
      Make.message("n", seq: 12, from: Make.account, in: Make.single),
    ])
    #expect(try await inbox.shown(Make.single).map(\.state) == [.read, .read])
    #expect(try await inbox.shown(Make.single).map(\.hasReadTime) == [88, 77])
    let reads = try await inbox.store.conversationPeerReads(Make.single).value
    #expect(reads == [PeerRead(userID: Make.peer, upToSeq: 12, time: 88)])
    try await inbox.finish()
  }

  @Test("D7: a deletion delivered twice takes one from the unread number, once")
  func d7() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("a", seq: 11), Make.message("b", seq: 12), Make.message("c", seq: 13)])
    #expect(try await inbox.deliver([Make.delete(.seq(11))]).map(\.kinds) == [[.deleted, .unread]])
    #expect(try await inbox.deliver([Make.delete(.seq(11))], [Make.delete(.clientMsgID("a"))]).isEmpty)
    #expect(try await inbox.unread() == 2)
    #expect(try await inbox.ids() == ["b", "c"])
    try await inbox.finish()
  }

  @Test("D8: new 21, then the own read notice 20: one unread is left")
  func d8() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("a", seq: 20), Make.message("b", seq: 21)], [Make.read(20)])
    #expect(try await inbox.unread() == 1)
    try await inbox.finish()
  }

  @Test("D9: own 11 and 12, the peer's 13 and 14, another device reads to 13: one unread")
  func d9() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("a", seq: 10), Make.read(10)])
    try await inbox.deliver([
      Make.message("b", seq: 11, from: Make.account), Make.message("c", seq: 12, from: Make.account),
    ])
    try await inbox.deliver([Make.message("d", seq: 13), Make.message("e", seq: 14)], [Make.read(13)])
    #expect(try await inbox.unread() == 1)
    try await inbox.finish()
  }

  @Test("D11: equal times stand in order of seq, then of id")
  func d11() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([
      Make.message("z", seq: 3, at: Make.time), Make.message("y", seq: 2, at: Make.time),
      Make.message("x", seq: 4, at: Make.time), Make.message("a", seq: 4, at: Make.time),
    ])
    #expect(try await inbox.ids() == ["y", "z", "a", "x"])
    try await inbox.finish()
  }

  @Test("D12: a private message without attached information is private, and burns by its conversation's duration")
  func d12() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([
      Make.message("m", seq: 1, marks: .isPrivate), Make.set(.burnDuration(30)), Make.read(1, at: Make.time),
    ])
    let message = try #require(try await inbox.shown().first)
    #expect(message.marks.contains(.isPrivate))
    #expect(message.burnDeadline == Make.time + 30_000)
    try await inbox.finish()
  }

  @Test("D13: a late push below the clear mark stays cleared")
  func d13() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("a", seq: 20)], [Make.clear(20)])
    #expect(try await inbox.deliver([Make.message("late", seq: 15)]).allSatisfy { $0.clientMsgIDs.isEmpty })
    #expect(try await inbox.ids().isEmpty)
    #expect(try await inbox.unread() == 0)
    #expect(try await inbox.store.gaps(in: Make.group).value.isEmpty)
    try await inbox.deliver([Make.message("next", seq: 21)])
    #expect(try await inbox.ids() == ["next"])
    try await inbox.finish()
  }

  @Test("D14: a private message expires burnDuration seconds after its reading, in milliseconds")
  func d14() async throws {
    let inbox = try await Inbox()
    let attached = #"{"isPrivateChat":true,"burnDuration":30}"#
    try await inbox.deliver([
      Make.message("known", seq: 1, at: Make.time, attached: attached),
      Make.message("unknown", seq: 2, at: Make.time, attached: attached),
      Make.message("unread", seq: 3, at: Make.time, attached: attached),
    ])
    try await inbox.deliver([
      Make.read([.seq(1)], at: Make.time + 5_000), Make.read([.clientMsgID("unknown")]),
    ])
    // A reading without a known time counts from the sending.
    #expect(try await inbox.store.expire(now: Make.time + 29_999).changes.isEmpty)
    let first = try await inbox.store.expire(now: Make.time + 30_000)
    #expect(first.changes.map(\.clientMsgIDs) == [["unknown"]])
    #expect(try await inbox.ids() == ["known", "unread"])
    #expect(try await inbox.store.expire(now: Make.time + 35_000).changes.map(\.clientMsgIDs) == [["known"]])
    // The clock does not run back, and a copy that comes late is born burned.
    _ = try await inbox.store.expire(now: 0)
    try await inbox.deliver([
      Make.read([.seq(4)], at: Make.time), Make.message("late", seq: 4, at: Make.time, attached: attached),
    ])
    #expect(try await inbox.ids() == ["unread"])
    try await inbox.finish()
  }

  @Test("D15: one client id in two conversations is two messages")
  func d15() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("m", seq: 1), Make.message("m", seq: 1, in: Make.single)])
    try await inbox.deliver([Make.recall("m"), Make.delete(.clientMsgID("m"), in: Make.single)])
    #expect(try await inbox.texts() == ["-"])
    #expect(try await inbox.ids(Make.single).isEmpty)
    try await inbox.finish()
  }
}
