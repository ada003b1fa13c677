import Weir

/// Asks for the seqs that are missing in a conversation and passes on what comes: the facts of each answer, and after them
/// which seqs the answer covered. Feed its output to the projection.
///
/// A range counts as answered only as far as the answer says so, never because it was asked for: what was not seen stays
/// missing and is asked for again (receiving spec §2.3, reports 32 and 34). The newest gap comes first, a page at a time.
///
/// - Emits when: an answer comes, its facts and then one ``SeqFact``.
/// - Waits when: an answer is awaited, or downstream waits.
/// - Finishes when: its input does and the last answer has come.
/// - Cancels when: downstream does.
/// - Memory: one answer, and the answered ranges of each conversation it has been told of.
/// - Errors: what the closures throw. An answer that covers nothing is no error: the conversation is left until its id
///   comes in again.
public struct GapFetcher: Process {
  /// A page that is missing.
  public struct Request: Sendable, Equatable {
    /// Where.
    public var conversationID: String
    /// Which seqs.
    public var range: ClosedRange<Int64>
  }

  /// What a source knows of a page.
  public struct Answer: Sendable, Equatable {
    /// The messages and whatever else came with them.
    public var facts: [Fact]
    /// Ranges of which every seq was answered: those without a message will never have one.
    public var answered: [ClosedRange<Int64>]

    /// An answer of its parts.
    public init(facts: [Fact], answered: [ClosedRange<Int64>]) {
      self.facts = facts
      self.answered = answered
    }
  }

  private let account: String
  private let pageSize: Int64
  private let gaps: @Sendable (String) async throws -> SeqIntervals
  private let fetch: @Sendable (Request) async throws -> Answer

  /// A fetcher for the conversations of `account` whose ids come in.
  ///
  /// - Parameters:
  ///   - account: the own user id.
  ///   - pageSize: the most seqs of one request.
  ///   - gaps: what is missing in a conversation; see ``SQLiteMessageStore/gaps(in:)``.
  ///   - fetch: asks the server.
  public init(
    account: String, pageSize: Int = 50, gaps: @escaping @Sendable (String) async throws -> SeqIntervals,
    fetch: @escaping @Sendable (Request) async throws -> Answer
  ) {
    self.account = account
    self.pageSize = Int64(max(pageSize, 1))
    self.gaps = gaps
    self.fetch = fetch
  }

  /// A fetcher for what `store` misses.
  public init(
    _ store: SQLiteMessageStore, account: String, pageSize: Int = 50,
    fetch: @escaping @Sendable (Request) async throws -> Answer
  ) {
    self.init(
      account: account, pageSize: pageSize, gaps: { try await store.gaps(in: $0).value }, fetch: fetch)
  }

  public func run(_ input: ProcessInput<String>, _ output: ProcessOutput<Fact>) async throws {
    // What was answered but may not have been committed yet.
    var answered: [String: SeqIntervals] = [:]
    for try await conversationID in input {
      var missing = try await gaps(conversationID).subtracting(answered[conversationID] ?? SeqIntervals())
      while let last = missing.ranges.last {
        let (distance, isFar) = last.upperBound.subtractingReportingOverflow(pageSize - 1)
        let request = Request(
          conversationID: conversationID, range: max(last.lowerBound, isFar ? 1 : distance)...last.upperBound)
        let answer = try await output.idle { try await fetch(request) }
        for fact in answer.facts where !(await output.send(fact)) { return }
        if !answer.answered.isEmpty {
          let fact = SeqFact(account: account, conversationID: conversationID, answered: answer.answered)
          guard await output.send(.seqs(fact)) else { return }
        }
        let covered = SeqIntervals(answer.answered)
        answered[conversationID, default: SeqIntervals()].formUnion(covered)
        let rest = missing.subtracting(covered)
        if rest == missing { break }
        missing = rest
      }
    }
  }
}
