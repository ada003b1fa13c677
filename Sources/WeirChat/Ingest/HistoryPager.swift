/// The pages of a conversation's history, from the newest message to the oldest, over any source that takes the id of
/// the oldest known message and gives older ones (OpenIM's `startClientMsgID`).
///
/// The cursor is the oldest message of what came, by (send time, seq, id), whatever the order of the answer. Overlapping
/// answers are trimmed, so that every id is given once. An answer that is short, or brings nothing new, is not the end:
/// the end is reached only when the source says so and, with `firstSeq`, when nothing older can exist. Seqs that are
/// missing between pages, as a partly filled cache leaves them, are fetched by `fill` or else reported as holes.
///
/// Can be iterated any number of times, each from the newest message on. Memory: 16 bytes for each id given.
/// Errors: what the closures throw, and ``HistoryError``.
public struct HistoryPager: AsyncSequence, Sendable {
  public typealias Element = HistoryPage
  public typealias Failure = any Error

  /// Asks the source for one page.
  public typealias Fetch = @Sendable (HistoryRequest) async throws -> HistoryAnswer
  /// Asks the source for single seqs. A complete answer vouches for all of them.
  public typealias Fill =
    @Sendable (
      _ conversationID: String, _ seqs: [ClosedRange<Int64>]
    ) async throws -> HistoryAnswer

  /// The own user id.
  public let account: String
  /// Whose history.
  public let conversationID: String
  /// Messages asked for at once.
  public let count: Int
  /// The first seq the account may see, if the caller knows it.
  public let firstSeq: Int64?
  /// How often in a row the source may give nothing older before that is an error.
  public let patience: Int
  private let fill: Fill?
  private let fetch: Fetch

  /// The history of a conversation.
  public init(
    account: String, conversationID: String, count: Int = 50, firstSeq: Int64? = nil, patience: Int = 3,
    fill: Fill? = nil, fetch: @escaping Fetch
  ) {
    self.account = account
    self.conversationID = conversationID
    self.count = Swift.max(1, count)
    self.firstSeq = firstSeq
    self.patience = Swift.max(1, patience)
    self.fill = fill
    self.fetch = fetch
  }

  public func makeAsyncIterator() -> Iterator { Iterator(pager: self) }

  /// One walk through the history.
  public struct Iterator: AsyncIteratorProtocol {
    private let pager: HistoryPager
    private var walk: HistoryWalk
    private var isOver = false
    /// Answers in a row that brought nothing older.
    private var stalls = 0

    init(pager: HistoryPager) {
      self.pager = pager
      walk = HistoryWalk(account: pager.account, conversationID: pager.conversationID)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> HistoryPage? {
      while !isOver {
        try Task.checkCancellation()
        let request = HistoryRequest(
          conversationID: pager.conversationID, startClientMsgID: walk.cursor, count: pager.count)
        let answer = try await pager.fetch(request)
        let step = walk.take(answer)
        var page = step.page
        if let fill = pager.fill, !page.holes.isEmpty {
          walk.fill(&page, with: try await fill(pager.conversationID, page.holes))
        }
        stalls = step.hasMoved ? 0 : stalls + 1
        isOver = try isEnd(answer)
        page.isLast = isOver
        if isOver || !page.facts.isEmpty || !page.refused.isEmpty { return page }
      }
      return nil
    }

    /// Whether the beginning is reached.
    private func isEnd(_ answer: HistoryAnswer) throws -> Bool {
      let claimsEnd = answer.isEnd ?? answer.messages.isEmpty
      let oldest = walk.lowestSeq
      let isShort = oldest.flatMap { oldest in pager.firstSeq.map { oldest > $0 } } ?? false
      if claimsEnd && !isShort { return true }
      if stalls < pager.patience { return false }
      if claimsEnd, let oldest, let first = pager.firstSeq {
        throw HistoryError.endedEarly(oldestSeq: oldest, firstSeq: first)
      }
      throw HistoryError.stalled(cursor: walk.cursor)
    }
  }
}
