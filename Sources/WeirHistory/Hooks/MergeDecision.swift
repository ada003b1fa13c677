import WeirStore

/// What a merge hook decides of a batch.
public struct MergeDecision: Sendable {
  enum Verdict: Sendable {
    case goOn
    case finish
    case replace([HistoryTransaction])
    case reject(Int64, String)
    case `defer`(Duration, from: Int64?)

    /// In a few words, whatever it holds: rows are nobody's business in a log.
    var summary: String {
      switch self {
      case .goOn: "go on"
      case .finish: "finish"
      case .replace(let transactions): "replace by \(transactions.count) transactions"
      case .reject(let seq, let reason): "reject transaction \(seq): \(reason)"
      case .defer(let delay, let seq): "put off for \(delay)" + (seq.map { " from transaction \($0) on" } ?? "")
      }
    }
  }

  let verdict: Verdict
  private(set) var writes: [MergeWrite] = []

  /// The next hook decides; after the last the default merge follows.
  public static var goOn: MergeDecision { MergeDecision(verdict: .goOn) }

  /// Dealt with: later hooks and the default merge are skipped, and the position moves on.
  public static var finish: MergeDecision { MergeDecision(verdict: .finish) }

  /// Later hooks and the default merge see these transactions instead. Each must have the number of one in the batch, in
  /// their order.
  public static func replace(_ transactions: [HistoryTransaction]) -> MergeDecision {
    MergeDecision(verdict: .replace(transactions))
  }

  /// One transaction goes to the dead letters with this reason; the others go on.
  public static func reject(_ seq: Int64, _ reason: String) -> MergeDecision {
    MergeDecision(verdict: .reject(seq, reason))
  }

  /// The batch, or what of it follows from transaction `seq` on, comes again after `delay`; what is before goes on.
  /// The order stays: nothing that follows is merged earlier. Hooks are asked anew about what is left.
  public static func `defer`(for delay: Duration, from seq: Int64? = nil) -> MergeDecision {
    MergeDecision(verdict: .defer(delay, from: seq))
  }

  /// The same, and `body` runs in the transaction that commits the merge, before the default merge.
  public func writing(_ name: String, _ body: @escaping @Sendable (Connection) throws -> Void) -> MergeDecision {
    var decision = self
    decision.writes.append(MergeWrite(name: name, body: body))
    return decision
  }
}

/// Statements that a hook wants to run with the merge.
public struct MergeWrite: Sendable {
  /// Names it in failures.
  public let name: String
  let body: @Sendable (Connection) throws -> Void
}

/// What a merge hook is given.
public struct MergeHookInput: Sendable {
  /// The transactions, in order, as the hooks before have left them. May be empty.
  public let transactions: [HistoryTransaction]
  /// Names of the targets that the default merge serves.
  public let targets: [String]
  /// Whose pass it is.
  public let author: String
  /// How often this batch has failed before.
  public let attempt: Int
}

/// What the hooks have come to: carried out with the move of the position in one transaction.
public struct MergePlan: Sendable {
  /// The batch.
  public let batch: HistoryBatch
  /// What the default merge is to merge.
  public internal(set) var transactions: [HistoryTransaction]
  /// Whether the default merge is skipped: a hook has dealt with the batch.
  public internal(set) var isFinished = false
  /// Transactions that go to the dead letters, with the reason.
  public internal(set) var rejected: [(seq: Int64, reason: String)] = []
  /// What hooks want to write.
  public internal(set) var writes: [MergeWrite] = []
  /// Where the batch ends: earlier where a hook deferred the rest.
  public internal(set) var end: Int64
  /// How long the rest waits.
  public internal(set) var delay: Duration?

  init(_ batch: HistoryBatch) {
    self.batch = batch
    transactions = batch.transactions
    end = batch.end.seq
  }

  /// The part of a batch that was not put off.
  init(_ batch: HistoryBatch, upTo end: Int64, delay: Duration?) {
    self.init(batch)
    transactions.removeAll { $0.seq > end }
    self.end = end
    self.delay = delay
  }

  /// Takes in what a hook has decided.
  ///
  /// - Returns: whether later hooks are asked.
  mutating func apply(_ decision: MergeDecision, of hook: String) throws(HistoryError) -> Bool {
    writes += decision.writes
    switch decision.verdict {
    case .goOn: return true
    case .finish:
      isFinished = true
      return false
    case .replace(let new):
      let known = transactions.map(\.seq)
      let numbers = new.map(\.seq)
      guard Set(numbers).isSubset(of: known), zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw HistoryError(
          .badDecision,
          "\(hook) replaced the batch by transactions \(numbers) that are not all among \(known), in order")
      }
      transactions = new
    case .reject(let seq, let reason):
      guard transactions.contains(where: { $0.seq == seq }) else {
        throw HistoryError(.badDecision, "\(hook) rejected transaction \(seq), which is not in the batch")
      }
      transactions.removeAll { $0.seq == seq }
      rejected.append((seq, reason))
    case .defer(let delay, let seq):
      let first = max(seq ?? batch.start + 1, batch.start + 1)
      guard first <= batch.end.seq else {
        throw HistoryError(.badDecision, "\(hook) put off what follows from \(first) on, beyond the batch")
      }
      self.delay = max(delay.forSleeping, self.delay ?? .milliseconds(1))
      end = min(end, first - 1)
      transactions.removeAll { $0.seq >= first }
      rejected.removeAll { $0.seq >= first }
      return !transactions.isEmpty
    }
    return true
  }
}
