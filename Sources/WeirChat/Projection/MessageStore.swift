import WeirStore

/// Where the facts of one account become rows, and what readers ask.
///
/// Facts may come in any order and any number of times; the same set of facts always gives the same content.
public protocol MessageStore: ProjectionReading {
  /// Stores the facts and, in the same transaction, how far their sources have got.
  ///
  /// It is one transaction, and returns after its COMMIT. Pass whatever is pending, up to about 256: one transaction costs
  /// about the same for many facts as for one.
  ///
  /// - Throws: `StoreError`; nothing of the call was kept then, and the same call may be made again.
  func apply(_ facts: [Fact], checkpoints: [SourceCheckpoint]) async throws(StoreError) -> CommitResult

  /// The position of a source that was stored last; nil when there is none.
  func checkpoint(of source: String) async throws(StoreError) -> Snapshot<[UInt8]?>

  /// What changed since `revision`, oldest first.
  func changes(since revision: Int64, limit: Int) async throws(StoreError) -> Snapshot<ChangeLog>

  /// Ends the store. Calls made later throw `StoreError` of kind `closed`.
  func close() async throws(StoreError)
}

extension MessageStore {
  /// Stores the facts in one transaction; see ``apply(_:checkpoints:)``.
  public func apply(_ facts: [Fact]) async throws(StoreError) -> CommitResult {
    try await apply(facts, checkpoints: [])
  }

  /// Stores the facts and how far their source has got in one transaction; see ``apply(_:checkpoints:)``.
  public func apply(_ facts: [Fact], checkpoint: SourceCheckpoint) async throws(StoreError) -> CommitResult {
    try await apply(facts, checkpoints: [checkpoint])
  }
}

/// An answer and the revision it reflects: a reader keeps the one with the higher revision, and skips hints up to it.
public struct Snapshot<Value: Sendable>: Sendable {
  /// The revision of the store that the answer reflects.
  public let revision: Int64
  /// The answer.
  public let value: Value
}
