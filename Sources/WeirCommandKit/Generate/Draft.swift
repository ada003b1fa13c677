/// A message before it is written out. Whatever is not in it follows from the seed and its number, so that writing it
/// again gives the same bytes.
struct Draft: Sendable {
  /// What a reply quotes: enough to write the quoted message once more.
  struct Quoted: Sendable {
    let number: Int
    let kind: GeneratedKind
    let sender: Cast.Person
    let seq: Int64
    let sendTime: Int64
  }

  /// Counts messages, from 0.
  let number: Int
  let kind: GeneratedKind
  let conversation: Cast.Conversation
  let sender: Cast.Person
  /// Place in the conversation, from 1; 0 for what the server does not store.
  let seq: Int64
  /// Milliseconds since 1970.
  let sendTime: Int64
  let quoted: Quoted?

  /// The quoted message as a draft of its own; it quotes nothing.
  var quotedDraft: Draft? {
    quoted.map {
      Draft(
        number: $0.number, kind: $0.kind == .quote ? .text : $0.kind, conversation: conversation, sender: $0.sender,
        seq: $0.seq, sendTime: $0.sendTime, quoted: nil)
    }
  }
}

/// The taking back of a message.
struct RecallFact: Sendable {
  let target: Draft
  let revoker: Cast.Person
  /// Milliseconds since 1970.
  let time: Int64
  /// Counts recalls, from 0.
  let number: Int
}

/// The forms in which a recall reaches a client (receiving spec §1.5 and §1.7).
public enum RecallForm: String, CaseIterable, Sendable {
  /// The message itself once more, its content type 2101 and its content a revoke record, as a pull returns it.
  case row
  /// A notification 2101 with an id and a seq of its own, in the conversation's notification twin.
  case notification
  /// The payload of the recall callback, which is no message.
  case callback
}

/// The last messages the server stored, for copies, recalls and quotations. Memory: 4,096 drafts.
struct RecentDrafts: Sendable {
  private static let capacity = 4_096
  private var drafts: [Draft] = []
  private var isRecalled: [Bool] = []
  private var oldest = 0

  mutating func append(_ draft: Draft) {
    if drafts.count < Self.capacity {
      drafts.append(draft)
      isRecalled.append(false)
    } else {
      drafts[oldest] = draft
      isRecalled[oldest] = false
      oldest = (oldest + 1) % Self.capacity
    }
  }

  /// Any of them that is not recalled, the newest ones more often; nil when a few tries find none.
  func pick(using random: inout SeededRandom) -> Draft? {
    pickIndex(using: &random).map { drafts[$0] }
  }

  /// As ``pick(using:)``, and marks it as recalled.
  mutating func pickForRecall(using random: inout SeededRandom) -> Draft? {
    guard let index = pickIndex(using: &random) else { return nil }
    isRecalled[index] = true
    return drafts[index]
  }

  /// The newest message of a conversation among the last 64.
  func newest(in conversation: Int) -> Draft? {
    for age in 1...64 where age <= drafts.count {
      let draft = drafts[index(age: age)]
      if draft.conversation.number == conversation { return draft }
    }
    return nil
  }

  private func pickIndex(using random: inout SeededRandom) -> Int? {
    guard !drafts.isEmpty else { return nil }
    for _ in 0..<4 {
      let reach = random.below(2) == 0 ? min(16, drafts.count) : drafts.count
      let index = index(age: 1 + random.below(reach))
      if !isRecalled[index] { return index }
    }
    return nil
  }

  /// Age 1 is the newest.
  private func index(age: Int) -> Int {
    (oldest + drafts.count - age) % drafts.count
  }
}
