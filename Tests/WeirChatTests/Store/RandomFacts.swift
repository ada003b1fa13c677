import ChatFixtures

@testable import WeirChat

/// Random facts over a small world, so that they meet: few conversations, messages, seqs and users.
struct RandomFacts {
  private var random: SeededRandom
  private static let conversations = [Make.group, Make.single, "sg_other"]
  private static let users = [Make.account, Make.peer, "carol"]

  init(seed: UInt64) { random = SeededRandom(seed) }

  mutating func next() -> Fact {
    let conversation = random.pick(Self.conversations)
    switch random.below(24) {
    case 0...7: return message(conversation)
    case 8: return Make.pending(id(), at: time(), in: conversation)
    case 9: return Make.ack(id(), seq: random.once(in: 2) ? seq() : 0, at: time(), in: conversation)
    case 10:
      return Make.attempt(
        id(), random.pick(SendFact.Step.allCases), number: Int64(1 + random.below(2)), in: conversation)
    case 11: return Make.delivered(id(), in: conversation)
    case 12:
      return random.once(in: 2)
        ? Make.recall(id(), in: conversation, at: time()) : Make.recall(seq: seq(), in: conversation, at: time())
    case 13:
      return .recall(
        RecallFact(
          account: Make.account,
          target: .anywhere(random.once(in: 2) ? .readGroup : nil, senderID: random.pick(Self.users)),
          clientMsgID: id(), record: RecallRecord(time: time(), revokerID: random.pick(Self.users))))
    case 14, 15:
      return Make.edit(
        target(), version: Int64(1 + random.below(3)), text: "edit \(random.below(3))", in: conversation,
        by: random.pick(Self.users))
    case 16: return Make.delete(target(), target(), scope: random.once(in: 2) ? .forSelf : .forAll, in: conversation)
    case 17:
      return Make.clear(
        random.once(in: 3) ? 0 : Int64(random.below(8)), time: random.once(in: 3) ? time() : 0,
        hides: random.once(in: 2), in: conversation)
    case 18: return Make.read(seq(), by: random.pick(Self.users), at: random.once(in: 3) ? 0 : time(), in: conversation)
    case 19:
      return Make.read(
        [target(), target()], by: random.pick(Self.users), at: random.once(in: 3) ? 0 : time(), in: conversation)
    case 20: return seqs(conversation)
    case 21, 22: return property(conversation)
    default: return Make.local(id(), "local \(random.below(3))", revision: Int64(random.below(3)), in: conversation)
    }
  }

  private mutating func id() -> String { "m\(random.below(6))" }
  private mutating func seq() -> Int64 { Int64(1 + random.below(15)) }
  private mutating func time() -> Int64 { Make.time + Int64(random.below(20)) * 1_000 }
  private mutating func target() -> MessageReference { random.once(in: 2) ? .seq(seq()) : .clientMsgID(id()) }

  private mutating func message(_ conversation: String) -> Fact {
    var marks: MessageMarks = []
    if random.once(in: 8) {
      marks.insert(random.pick([.read, .deletedForSelf, .filtered, .quiet, .uncounted, .unlisted]))
    }
    return Make.message(
      id(), seq: seq(), from: random.pick(Self.users), in: conversation, text: "text \(random.below(4))", at: time(),
      server: "server \(random.below(3))", marks: marks)
  }

  private mutating func seqs(_ conversation: String) -> Fact {
    let low = seq()
    let range = low...(low + Int64(random.below(4)))
    switch random.below(4) {
    case 0: return Make.seqs(closed: [range], in: conversation)
    case 1: return Make.seqs(answered: [range], in: conversation)
    case 2: return Make.seqs(max: seq() + 5, in: conversation)
    default: return Make.seqs(min: Int64(random.below(4)), in: conversation)
    }
  }

  private mutating func property(_ conversation: String) -> Fact {
    let revision = Int64(random.below(4))
    let flag = random.once(in: 2)
    return switch random.below(5) {
    case 0: Make.set(.isPinned(flag), revision: revision, in: conversation)
    case 1: Make.set(.receiveOption(flag ? .quiet : .notify), revision: revision, in: conversation)
    case 2: Make.set(.draft(flag ? "" : "draft", time: time()), revision: revision, in: conversation)
    case 3: Make.set(.showName("name \(random.below(2))"), .ex("x"), revision: revision, in: conversation)
    default: Make.set(.isNotInGroup(flag), revision: revision, in: conversation)
    }
  }
}
