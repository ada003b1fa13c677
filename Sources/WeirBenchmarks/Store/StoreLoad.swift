import WeirChat

/// What a chat client is told, as facts: new messages, among them 6 % own ones on their way with their acknowledgements, and
/// 6 % redeliveries; conversations with a Zipf distribution, texts of 82 bytes on average, random ids.
enum StoreLoad {
  static let account = "7315502264"
  private static let words = [
    "meeting", "tomorrow", "invoice", "green", "please", "look", "的", "明天", "thanks", "build", "again", "later",
    "photo",
    "see", "you", "there", "ok", "сегодня", "train", "platform", "late", "coffee",
  ]

  /// The same facts for the same count.
  static func facts(_ count: Int, conversations: Int = 500) -> [Fact] {
    var random = Generator(state: 42)
    var seqs = [Int64](repeating: 0, count: conversations)
    var facts: [Fact] = []
    facts.reserveCapacity(count)
    var waiting: [MessageKey] = []
    while facts.count < count {
      let draw = random.below(100)
      if draw < 8, let key = waiting.popLast() {
        facts.append(
          .send(
            SendFact(
              account: account, conversationID: key.conversationID, clientMsgID: key.clientMsgID,
              event: .acknowledged(serverMsgID: random.id(), sendTime: 1_718_000_000_000 + Int64(facts.count), seq: 0)))
        )
      } else if draw < 14, facts.count > 50 {
        facts.append(facts[facts.count - 1 - random.below(50)])
      } else {
        let isPending = draw >= 94
        let message = message(&random, conversations, &seqs, at: Int64(facts.count), isPending: isPending)
        if isPending { waiting.append(message.key) }
        facts.append(.message(message))
      }
    }
    return facts
  }

  private static func message(
    _ random: inout Generator, _ conversations: Int, _ seqs: inout [Int64], at time: Int64, isPending: Bool
  ) -> ChatMessage {
    // About Zipf 0.8: the square of an even draw.
    let draw = random.unit()
    let place = min(Int(draw * draw * Double(conversations)), conversations - 1)
    var envelope = Envelope()
    if !isPending {
      seqs[place] += 1
      envelope.seq = seqs[place]
      envelope.sendTime = 1_718_000_000_000 + time
      envelope.serverMsgID = random.id()
    }
    envelope.createTime = 1_718_000_000_000 + time
    envelope.senderID = isPending ? account : "user\(random.below(400))"
    envelope.senderNickname = envelope.senderID
    envelope.platformID = 2
    envelope.origin = 100
    var text = ""
    while text.utf8.count < 30 + Int(draw * 60) { text += words[random.below(words.count)] + " " }
    return ChatMessage(
      key: MessageKey(account: account, conversationID: "sg_group\(place)", clientMsgID: random.id()),
      envelope: envelope, evidence: isPending ? .none : .sent, content: .text(text))
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
      let digits = Array("0123456789abcdef".utf8)
      let (high, low) = (next(), next())
      return String(
        decoding: (0..<32).map { digits[Int(($0 < 16 ? high : low) >> (UInt64($0 & 15) * 4) & 15)] }, as: UTF8.self)
    }
  }
}
