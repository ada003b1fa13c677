import WeirStore

/// What a walk through a history has seen: a pure value.
struct HistoryWalk {
  /// What one answer came to.
  struct Step {
    var page: HistoryPage
    /// Whether it brought a message older than all before.
    var hasMoved: Bool
  }

  /// A message or a recalled row, as far as its place matters.
  private struct Entry {
    var id: String
    var envelope: Envelope
    var message: ChatMessage?

    /// The order on screen: (send time, seq, id).
    func precedes(_ other: Entry) -> Bool {
      if envelope.sendTime != other.envelope.sendTime { return envelope.sendTime < other.envelope.sendTime }
      if envelope.seq != other.envelope.seq { return envelope.seq < other.envelope.seq }
      return id.utf8Precedes(other.id)
    }
  }

  private let account: String
  private let conversationID: String
  private var given: Set<Hash128> = []
  private var oldest: Entry?
  /// The smallest seq so far; nil before any.
  private(set) var lowestSeq: Int64?

  init(account: String, conversationID: String) {
    self.account = account
    self.conversationID = conversationID
  }

  /// The id from which to ask on; nil at the start.
  var cursor: String? { oldest?.id }

  /// Takes the answer to a query from the cursor.
  mutating func take(_ answer: HistoryAnswer) -> Step {
    var page = HistoryPage()
    let (entries, seqs) = add(answer, to: &page)
    let boundary = entries.min { $0.precedes($1) }
    let hasMoved = boundary.map { boundary in oldest.map { boundary.precedes($0) } ?? true } ?? false
    if hasMoved { oldest = boundary }
    if let lowest = seqs.min(), let highest = seqs.max() {
      // From the last seq accounted for before down to the lowest of this answer.
      let top = lowestSeq.map { $0 - 1 } ?? highest
      if lowest <= top {
        if answer.isComplete {
          page.facts.append(answered([lowest...top]))
        } else {
          page.holes = Self.missing(in: lowest...top, seqs)
        }
      }
      lowestSeq = Swift.min(lowestSeq ?? lowest, lowest)
    }
    return Step(page: page, hasMoved: hasMoved)
  }

  /// Takes the answer to a query for the page's holes.
  mutating func fill(_ page: inout HistoryPage, with answer: HistoryAnswer) {
    let holes = page.holes
    let (_, seqs) = add(answer, to: &page)
    if answer.isComplete {
      page.facts.append(answered(holes))
      page.holes = []
    } else {
      page.holes = holes.flatMap { Self.missing(in: $0, seqs) }
    }
  }

  /// Adds what is new to a page. Gives what belongs to the conversation, and the seqs that it accounts for.
  private mutating func add(_ answer: HistoryAnswer, to page: inout HistoryPage) -> (entries: [Entry], seqs: [Int64]) {
    var entries: [Entry] = []
    var seqs: [Int64] = []
    for part in answer.messages.flatMap(\.parts) {
      if case .refused(let error) = part { page.refused.append(error) }
      for fact in part.facts {
        page.facts.append(fact)
        switch fact {
        case .message(let message) where isHere(message.key):
          entries.append(Entry(id: message.key.clientMsgID, envelope: message.envelope, message: message))
        case .recall(let recall):
          guard let original = recall.original, isHere(original.key) else { continue }
          entries.append(Entry(id: original.key.clientMsgID, envelope: original.envelope, message: nil))
        case .seqs(let fact) where fact.conversationID.utf8Equals(conversationID):
          // A placeholder is one seq; longer ranges tell nothing about what was answered here.
          seqs += fact.closed.filter { $0.count == 1 }.map(\.lowerBound)
        default: continue
        }
      }
    }
    seqs += entries.map(\.envelope.seq).filter { $0 > 0 }
    var new = entries.filter { given.insert(Self.hash($0.id)).inserted }
    new.sort { $1.precedes($0) }
    page.clientMsgIDs += new.map(\.id)
    page.messages += new.compactMap(\.message)
    return (entries, seqs)
  }

  private func isHere(_ key: MessageKey) -> Bool { key.conversationID.utf8Equals(conversationID) }

  private func answered(_ ranges: [ClosedRange<Int64>]) -> Fact {
    .seqs(SeqFact(account: account, conversationID: conversationID, answered: ranges))
  }

  private static func hash(_ id: String) -> Hash128 {
    var hash = FixedHash()
    hash.add(id)
    return hash.value()
  }

  /// The parts of a range in which no seq stands.
  static func missing(in range: ClosedRange<Int64>, _ seqs: [Int64]) -> [ClosedRange<Int64>] {
    var result: [ClosedRange<Int64>] = []
    var next = range.lowerBound
    for seq in seqs.sorted() where seq >= next && seq <= range.upperBound {
      if seq > next { result.append(next...(seq - 1)) }
      if seq == range.upperBound { return result }
      next = seq + 1
    }
    result.append(next...range.upperBound)
    return result
  }
}
