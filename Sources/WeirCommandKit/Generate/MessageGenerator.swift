/// Generates a history of OpenIM callback objects as JSON lines.
///
/// The order of a conversation's seqs and the rise of sendTime are those of a server: per conversation from 1 without
/// gaps, over all conversations never falling. Copies, recalls, delays and malformed lines come on top of that.
/// Memory does not depend on the number of messages: about 30 bytes a conversation, 4,096 recent drafts, and at most
/// ``GeneratorSettings/window`` delayed lines.
public struct MessageGenerator: Sendable {
  /// What was written so far.
  public private(set) var report = GeneratorReport()

  private let settings: GeneratorSettings
  private let popularity: ZipfDistribution
  private let cast: Cast
  private var encoder: MessageEncoder
  // Random numbers of their own, so that one seed gives the same messages whatever is done to them.
  private var random: SeededRandom
  private var recallRandom: SeededRandom
  private var disturbance: SeededRandom
  private var time: Int64
  private var lastSeq: [UInt32]
  private var lastNoticeSeq: [UInt32]
  private var recent = RecentDrafts()
  private var reorder: ReorderBuffer
  private var writer = JSONWriter(capacity: 4_096)

  /// A generator at the beginning.
  public init(_ settings: GeneratorSettings) {
    self.settings = settings
    popularity = ZipfDistribution(count: settings.conversations)
    cast = Cast(settings: settings)
    encoder = MessageEncoder(seed: settings.seed, cast: cast)
    random = SeededRandom(seed: settings.seed, stream: 1 << 57)
    recallRandom = SeededRandom(seed: settings.seed, stream: 1 << 57 | 1)
    disturbance = SeededRandom(seed: settings.seed, stream: 1 << 57 | 2)
    time = settings.startTime
    lastSeq = Array(repeating: 0, count: settings.conversations)
    lastNoticeSeq = Array(repeating: 0, count: settings.conversations)
    reorder = ReorderBuffer(window: settings.window)
  }

  /// Appends whole lines until `output` holds at least `size` bytes; false once everything has been written.
  public mutating func generate(into output: inout [UInt8], upTo size: Int) -> Bool {
    while output.count < size {
      guard report.messages < settings.messages else {
        reorder.drain(into: &output)
        return false
      }
      let draft = makeDraft()
      put(into: &output) { $0.write(draft, .original, to: &$1) }
      if recallRandom.chance(settings.recalls) { putRecall(into: &output) }
      if disturbance.chance(settings.duplicates) { putCopy(into: &output) }
      if disturbance.chance(settings.malformed) { putMalformed(draft, into: &output) }
    }
    return true
  }

  private mutating func makeDraft() -> Draft {
    let number = popularity.pick(using: &random)
    let conversation = cast.conversation(number)
    let sender = pickSender(in: conversation)
    var kind = GeneratedKind.pick(using: &random)
    var quoted: Draft?
    switch kind {
    case .atText where !conversation.isGroup: kind = .text
    case .typing where conversation.isGroup || sender == .account: kind = .text
    case .quote:
      quoted = recent.newest(in: number)
      if quoted == nil { kind = .text }
    default: break
    }
    time += Int64(random.below(4) == 0 ? random.below(3_000) : random.below(40))
    if kind != .typing {
      if lastSeq[number] == 0 { report.conversations += 1 }
      lastSeq[number] &+= 1
    }
    let draft = Draft(
      number: report.messages, kind: kind, conversation: conversation, sender: sender,
      seq: kind == .typing ? 0 : Int64(lastSeq[number]), sendTime: time,
      quoted: quoted.map {
        Draft.Quoted(number: $0.number, kind: $0.kind, sender: $0.sender, seq: $0.seq, sendTime: $0.sendTime)
      })
    report.messages += 1
    report.kinds[kind, default: 0] += 1
    if kind != .typing {
      report.stored += 1
      recent.append(draft)
    }
    return draft
  }

  /// The account writes a third of a single chat and little of a group.
  private mutating func pickSender(in conversation: Cast.Conversation) -> Cast.Person {
    if conversation.isGroup {
      let index = random.below(conversation.memberCount + 2)
      return index < conversation.memberCount ? cast.member(index, of: conversation) : .account
    }
    return random.below(3) == 0 ? .account : conversation.peer
  }

  private mutating func putCopy(into output: inout [UInt8]) {
    guard let draft = recent.pick(using: &disturbance) else { return }
    let isLater = disturbance.below(2) == 0 && encoder.hasLaterForm(draft)
    if isLater { report.laterCopies += 1 } else { report.exactCopies += 1 }
    put(into: &output) { $0.write(draft, isLater ? .later : .original, to: &$1) }
  }

  private mutating func putRecall(into output: inout [UInt8]) {
    guard let target = recent.pickForRecall(using: &recallRandom) else { return }
    let isByAdministrator = target.conversation.isGroup && recallRandom.below(4) == 0
    let recall = RecallFact(
      target: target, revoker: isByAdministrator ? cast.member(0, of: target.conversation) : target.sender, time: time,
      number: report.recalls.values.reduce(0, +))
    let form = recallRandom.pick(RecallForm.allCases)
    report.recalls[form, default: 0] += 1
    switch form {
    case .row: put(into: &output) { $0.write(target, .recalled(recall), to: &$1) }
    case .notification:
      lastNoticeSeq[target.conversation.number] &+= 1
      let seq = Int64(lastNoticeSeq[target.conversation.number])
      put(into: &output) { $0.writeNotification(recall, seq: seq, to: &$1) }
    case .callback:
      let inSeconds = recall.revoker == .account
      put(into: &output) { $0.writeRecallPayload(recall, inSeconds: inSeconds, to: &$1) }
    }
  }

  private mutating func putMalformed(_ draft: Draft, into output: inout [UInt8]) {
    let flaw = disturbance.pick(Flaw.allCases)
    report.malformed[flaw, default: 0] += 1
    writer.removeAll()
    encoder.write(draft, .original, to: &writer)
    put(flaw.spoil(writer.bytes, using: &disturbance) + [UInt8(ascii: "\n")], into: &output)
  }

  private mutating func put(into output: inout [UInt8], _ write: (inout MessageEncoder, inout JSONWriter) -> Void) {
    writer.removeAll()
    write(&encoder, &writer)
    writer.endLine()
    put(writer.bytes, into: &output)
  }

  private mutating func put(_ line: [UInt8], into output: inout [UInt8]) {
    var delay = 0
    if disturbance.chance(settings.reorder) {
      delay = 1 + disturbance.below(settings.window)
      report.delayed += 1
    }
    report.lines += 1
    reorder.push(line, delay: delay, into: &output)
  }
}
