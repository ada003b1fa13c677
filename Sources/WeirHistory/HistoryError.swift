import Weir
import WeirStore

/// What went wrong with the history of a store.
///
/// `code` is stable and meant for branching; `description` is for people and may change.
public struct HistoryError: CodedError, RetryableError, Equatable, CustomStringConvertible {
  /// The kinds of failure. The raw values are the stable codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// A declaration cannot be recorded.
    case badDeclaration = "history.bad-declaration"
    /// A statement or a table would change rows unseen by the recording.
    case unseenChange = "history.unseen-change"
    /// The file records no history, or no more.
    case notRecorded = "history.not-recorded"
    /// No author of that name is registered.
    case unknownAuthor = "history.unknown-author"
    /// The author is registered with another role.
    case roleConflict = "history.role-conflict"
    /// The author was retired; it has to register anew and rebuild.
    case retired = "history.retired"
    /// The set of authors to hear is empty or holds the own one only.
    case noForeignAuthor = "history.no-foreign-author"
    /// What follows the position was purged, or the position is not of this file's past: rebuild.
    case expired = "history.expired"
    /// The transaction that is asked for was purged.
    case purged = "history.purged"
    /// The token is of another store.
    case wrongStore = "history.wrong-store"
    /// The store was restored or lost its newest commits: what the token has seen was written anew.
    case rewritten = "history.rewritten"
    /// Recording cannot be taken away while consumers live.
    case liveCursor = "history.live-cursor"
    /// A trigger of the user fires itself without end.
    case recursingTrigger = "history.recursing-trigger"
    /// A hook named as an anchor is not registered.
    case unknownHook = "history.unknown-hook"
    /// Nobody has given up on that transaction, or its dead letter is replayed or discarded already.
    case unknownDeadLetter = "history.unknown-dead-letter"
    /// A hook answered with something that cannot be carried out.
    case badDecision = "history.bad-decision"
    /// A hook took longer than its budget and was cancelled.
    case hookDeadline = "history.hook-deadline"
    /// A batch was thrown away between the source and the merge.
    case batchDropped = "history.batch-dropped"
    /// The process ended again and again while a transaction was handled.
    case processEnded = "history.process-ended"
    /// The store failed; the code and the words are its own.
    case store = "history.store"
  }

  /// The kind of failure.
  public let kind: Kind
  /// What went wrong and what to do, in words.
  public let detail: String
  /// What the store said, for the kind `store`.
  public let store: StoreError?

  /// A failure of `kind`, told by `detail`.
  public init(_ kind: Kind, _ detail: String) {
    self.init(kind, detail, nil)
  }

  /// A failure of the store, or what it means where the history is the reason.
  public init(_ error: StoreError) {
    if error.kind == .unexpected, error.detail.contains("no such table: history_") {
      self.init(.notRecorded, "the recording of this file was stopped; open the history anew to record again")
    } else if error.kind == .unexpected, error.detail.contains("error in trigger history_") {
      self.init(
        .badDeclaration,
        "\(error.detail): the history records this table; make it anew by copying, or stop the recording, change it and "
          + "open the history again")
    } else if error.detail.contains("too many levels of trigger recursion") {
      self.init(
        .recursingTrigger,
        "a trigger fires itself without end, since on connections that record triggers fire for what they do themselves; "
          + "give it a WHEN that is false the second time: \(error.detail)")
    } else {
      self.init(.store, error.description, error)
    }
  }

  private init(_ kind: Kind, _ detail: String, _ store: StoreError?) {
    (self.kind, self.detail, self.store) = (kind, detail, store)
  }

  /// The stable code, for example `history.expired`; that of the store where the store failed.
  public var code: String { store?.code ?? kind.rawValue }

  /// Whether the same call may succeed later without any repair.
  public var isRetryable: Bool { store?.isRetryable ?? false }

  /// Code and detail in one line.
  public var description: String { store?.description ?? "\(code): \(detail)" }
}

/// Turns what the store throws into a failure of the history.
@inlinable
func history<Value>(
  _ body: () async throws(StoreError) -> Value, isolation: isolated (any Actor)? = #isolation
) async throws(HistoryError) -> Value {
  do throws(StoreError) {
    return try await body()
  } catch {
    throw HistoryError(error)
  }
}
