import ChatFixtures
import Testing
import Weir
import WeirTesting

@testable import WeirChat

/// Presence and typing: functions of deadlines and the time, and of nothing else.
@Suite("Presence and typing") struct TransientTests {
  private let time = VirtualClock()

  private func board(_ limits: TransientBoard.Limits = .init()) -> TransientBoard {
    TransientBoard(clock: WallClock(GraphClock(time), now: 1_000_000), limits: limits)
  }

  private func typing(
    _ isTyping: Bool = true, by user: String = "u", in conversation: String = "c", event: String = "",
    sequence: Int64, expiresAt: Int64 = 1_005_000
  ) -> TypingUpdate {
    TypingUpdate(
      eventID: event, conversationID: conversation, userID: user, isTyping: isTyping, sequence: sequence,
      expiresAtMilliseconds: expiresAt)
  }

  @Test("Invariant 12: a value is gone at its deadline by the clock alone")
  func deadline() {
    let board = board()
    #expect(board.admit(typing(sequence: 1)))
    #expect(
      board.admit(
        PresenceUpdate(userID: "u", status: .known(.online), sequence: 1, expiresAtMilliseconds: 1_010_000)))
    #expect(board.typing(in: "c") == .init(users: ["u"], until: 1_005_000))
    time.advance(by: .milliseconds(4_999))
    #expect(board.typing(in: "c").users == ["u"])
    time.advance(by: .milliseconds(1))
    #expect(board.typing(in: "c") == .init(users: [], until: nil))
    #expect(board.presence(of: "u") == .known(.online))
    time.advance(by: .milliseconds(5_000))
    #expect(board.presence(of: "u") == nil)
  }

  @Test("Invariant 12: what is expired on arrival, repeated, or overtaken changes nothing")
  func ignored() {
    let board = board()
    #expect(!board.admit(typing(sequence: 9, expiresAt: 1_000_000)))
    #expect(board.admit(typing(event: "e1", sequence: 5)))
    #expect(!board.admit(typing(false, event: "e1", sequence: 6)))
    #expect(!board.admit(typing(false, event: "e2", sequence: 4)))
    #expect(board.typing(in: "c").users == ["u"])
    #expect(board.admit(typing(false, event: "e3", sequence: 6)))
    #expect(board.typing(in: "c").users == [])
    // The end is remembered: what was sent before it cannot bring the typing back.
    #expect(!board.admit(typing(event: "e4", sequence: 5)))
    #expect(board.typing(in: "c").users == [])
    #expect(board.admit(typing(event: "e5", sequence: 7)) && board.typing(in: "c").users == ["u"])
  }

  @Test("Invariant 12: that someone stopped clears at once, also when it has no time left")
  func stopped() {
    let board = board()
    #expect(board.admit(typing(sequence: 1)))
    #expect(board.admit(typing(false, sequence: 2, expiresAt: 0)))
    #expect(board.typing(in: "c").users == [])
  }

  @Test("Invariant 12: after a reconnect nothing of the old connection is shown, and sequences begin anew")
  func reconnect() {
    let board = board()
    let hub = EventHub(transients: board)
    hub.publish(.stateChanged(.known(.ready)), connectionGeneration: 1)
    hub.publish(.typingChanged(typing(sequence: 90)))
    #expect(board.typing(in: "c").users == ["u"])
    hub.publish(.stateChanged(.known(.connecting)), connectionGeneration: 2)
    #expect(board.typing(in: "c").users == [])
    #expect(hub.publish(.typingChanged(typing(sequence: 91)), connectionGeneration: 1) == .stale)
    #expect(board.typing(in: "c").users == [])
    #expect(hub.publish(.typingChanged(typing(sequence: 1))) == .published(4))
    #expect(board.typing(in: "c").users == ["u"])
  }

  @Test(
    "Invariant 12: a deadline in the far future does not hold for ever, and a wall clock that jumps changes nothing")
  func longest() {
    let board = board(.init(typing: .seconds(30)))
    #expect(board.admit(typing(sequence: 1, expiresAt: .max)))
    #expect(board.typing(in: "c").until == 1_030_000)
    time.advance(by: .seconds(30))
    #expect(board.typing(in: "c").users == [])
  }

  @Test("a message of a peer ends their typing, an own one does not, and readers hear of it")
  func message() throws {
    let board = board()
    let hub = EventHub(transients: board)
    hub.publish(.typingChanged(typing(by: "peer", in: "sg_30", sequence: 3)))
    hub.publish(.typingChanged(typing(by: "other", in: "sg_30", sequence: 3)))
    let reader = hub.subscribe()
    var line = CallbackLine.group("hello", id: "m1", seq: 1)
    line.groupID = "30"
    line.sendID = "peer"
    let peer = try facts([line.bytes])
    line.sendID = ChatScript.account
    let own = try facts([line.bytes])
    var stage = TypingEnds(hub)
    var passed: [Fact] = []
    for fact in own + peer { stage.process(fact) { passed.append($0) } }
    #expect(passed == own + peer)
    #expect(board.typing(in: "sg_30").users == ["other"])
    let events = reader.takePending().map(\.event)
    #expect(events.count == 1)
    guard case .typingChanged(let update)? = events.first else {
      Issue.record("no typing event")
      return
    }
    #expect(update.userID == "peer" && !update.isTyping)
  }

  @Test("a flood of users stays within the limit and keeps those who hold longest")
  func flood() {
    let board = board(.init(entries: 100))
    for number in 0..<5_000 as Range<Int64> {
      board.admit(
        PresenceUpdate(
          userID: "u\(number)", status: .known(.online), sequence: 1, expiresAtMilliseconds: 1_001_000 + number))
    }
    let present = (0..<5_000).filter { board.presence(of: "u\($0)") != nil }
    #expect(present.count <= 100 && present.count >= 80 && present.last == 4_999)
    #expect(present.first.map { $0 >= 4_900 } ?? false)
  }

  @Test(
    "element-hq/element-web 25942: typing on, connection lost, a message sent, reconnected: off at the deadline and on the message"
  )
  func stuckTyping() {
    let board = board()
    let hub = EventHub(transients: board)
    hub.publish(.stateChanged(.known(.ready)), connectionGeneration: 1)
    hub.publish(.typingChanged(typing(by: "a", sequence: 1)))
    hub.publish(.typingChanged(typing(by: "b", sequence: 1)))
    // The connection is gone and no event says that they stopped.
    hub.messageArrived(from: "a", in: "c")
    #expect(board.typing(in: "c").users == ["b"])
    time.advance(by: .seconds(5))
    #expect(board.typing(in: "c").users == [])
    hub.publish(.typingChanged(typing(by: "b", sequence: 2, expiresAt: 1_009_000)))
    hub.publish(.stateChanged(.known(.connecting)), connectionGeneration: 2)
    #expect(board.typing(in: "c").users == [])
  }

  @Test("element-hq/element-ios 6144: someone who is gone without an event is unknown at the deadline")
  func gone() {
    let board = board()
    board.admit(PresenceUpdate(userID: "u", status: .known(.online), sequence: 1, expiresAtMilliseconds: 1_060_000))
    time.advance(by: .seconds(59))
    #expect(board.presence(of: "u") == .known(.online))
    time.advance(by: .seconds(1))
    #expect(board.presence(of: "u") == nil)
  }
}
