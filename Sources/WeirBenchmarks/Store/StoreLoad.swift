import WeirChat

/// What a chat client is told, as facts: new messages, among them 6 % own ones on their way with their acknowledgements, and
/// 6 % redeliveries; half of the conversations groups; about Zipf 0.8 over the conversations; content of 82 bytes on average
/// as it is delivered; random ids of 32 digits. The same facts for the same numbers.
struct StoreLoad {
  static let account = "7315502264"
  private static let words = [
    "meeting", "tomorrow", "invoice", "green", "please", "look", "的", "明天", "thanks", "build", "again", "later",
    "photo", "see", "you", "there", "ok", "сегодня", "train", "platform", "late", "coffee",
  ]
  private static let digits = Array("0123456789abcdef".utf8)

  private var random = Generator(state: 42)
  private var seqs: [Int64]
  private var waiting: [MessageKey] = []
  private var recent: [Fact] = []
  private var count: Int64 = 0

  init(conversations: Int) { seqs = [Int64](repeating: 0, count: conversations) }

  /// The next facts.
  mutating func next(_ count: Int) -> [Fact] {
    var facts: [Fact] = []
    facts.reserveCapacity(count)
    for _ in 0..<count {
      let fact = next()
      facts.append(fact)
      if recent.count < 50 { recent.append(fact) } else { recent[Int(self.count) % 50] = fact }
      self.count += 1
    }
    return facts
  }

  private mutating func next() -> Fact {
    let draw = random.below(100)
    if draw < 8, let key = waiting.popLast() {
      return .send(
        SendFact(
          account: Self.account, conversationID: key.conversationID, clientMsgID: key.clientMsgID,
          event: .acknowledged(serverMsgID: random.id(), sendTime: 1_718_000_000_000 + count, seq: 0)))
    }
    if draw < 14, recent.count == 50 { return recent[random.below(50)] }
    let message = message(isPending: draw >= 94)
    if draw >= 94 { waiting.append(message.key) }
    return .message(message)
  }

  private mutating func message(isPending: Bool) -> ChatMessage {
    // About Zipf 0.8: the square of an even draw.
    let draw = random.unit()
    let place = min(Int(draw * draw * Double(seqs.count)), seqs.count - 1)
    let isGroup = place % 2 == 0
    let peer = "\(8_842_100_000 + place)"
    var envelope = Envelope()
    envelope.createTime = 1_718_000_000_000 + count
    if isPending {
      envelope.senderID = Self.account
    } else {
      seqs[place] += 1
      envelope.seq = seqs[place]
      envelope.sendTime = envelope.createTime + 40 + Int64(random.below(300))
      envelope.serverMsgID = random.id()
      envelope.senderID = isGroup ? "\(8_842_110_000 + random.below(400))" : peer
    }
    if !isGroup { envelope.receiverID = isPending ? peer : Self.account }
    envelope.senderNickname = "User \(envelope.senderID.suffix(4))"
    envelope.platformID = 2
    envelope.origin = 100
    // With what stands around it as it is delivered (14 bytes), 82 on average.
    let length = 20 + random.below(90)
    var text = ""
    while text.utf8.count < length { text += Self.words[random.below(Self.words.count)] + " " }
    let conversationID = isGroup ? "sg_\(3_027_100_000 + place)" : "si_\(Self.account)_\(peer)"
    return ChatMessage(
      key: MessageKey(account: Self.account, conversationID: conversationID, clientMsgID: random.id()),
      envelope: envelope, evidence: isPending ? .none : .sent, content: .text(text))
  }

  /// The busiest conversations, which are those with the lowest numbers.
  static func conversation(_ place: Int) -> String {
    place % 2 == 0 ? "sg_\(3_027_100_000 + place)" : "si_\(account)_\(8_842_100_000 + place)"
  }

  /// SplitMix64.
  private struct Generator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func id() -> String {
      let halves = (next(), next())
      return String(unsafeUninitializedCapacity: 32) { bytes in
        for place in 0..<32 {
          let half = place < 16 ? halves.0 : halves.1
          bytes[place] = StoreLoad.digits[Int(half >> UInt64((place & 15) * 4) & 15)]
        }
        return 32
      }
    }
  }
}
