/// The history after a position, page by page, now and as it goes on: reads when it is asked, waits when there is no more.
///
/// For readers that keep their position themselves: keep the `end` of the last page that was dealt with.
///
/// - Emits when: it is asked, and a transaction was scanned that the last page did not hold.
/// - Waits when: nothing more is recorded.
/// - Finishes when: the history is closed or the task is cancelled.
/// - Memory: one page.
/// - Errors: ``HistoryError`` of kind `expired`, `wrongStore`, `rewritten` or `store`.
public struct HistoryPages: AsyncSequence, Sendable {
  let history: History
  let start: HistoryToken
  let filter: AuthorFilter

  public func makeAsyncIterator() -> Iterator { Iterator(history: history, position: start, filter: filter) }

  /// Reads on.
  public struct Iterator: AsyncIteratorProtocol {
    let history: History
    var position: HistoryToken
    let filter: AuthorFilter

    /// The next page; nil once the history is closed or the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(HistoryError) -> HistoryPage? {
      while !Task.isCancelled {
        let seen = history.head.generation
        let page: HistoryPage
        do throws(HistoryError) {
          page = try await history.page(after: position, from: filter)
        } catch {
          // Closed between two pages is an end like any other.
          if history.head.isClosed { return nil }
          throw error
        }
        if let page = advance(to: page) { return page }
        switch await history.head.wait(beyond: seen, toRead: history.request(after: position, from: filter)) {
        case .ended: return nil
        case .news(let page):
          guard let page else { continue }
          try history.demandFile()
          if let page = advance(to: page) { return page }
        }
      }
      return nil
    }

    /// A page that holds something; the position is after it then.
    private mutating func advance(to page: HistoryPage) -> HistoryPage? {
      guard page.end.seq > position.seq else { return nil }
      position = page.end
      return page
    }
  }
}

extension History {
  /// The pages after `token`. See ``HistoryPages``.
  public func pages(after token: HistoryToken, from filter: AuthorFilter = .everybody) -> HistoryPages {
    HistoryPages(history: self, start: token, filter: filter)
  }
}
