#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What happened to a row.
public enum HistoryOperation: Int64, Sendable, CaseIterable {
  /// It came to be.
  case insert = 0
  /// Some of its values changed.
  case update = 1
  /// It is gone.
  case delete = 2
}

/// One row that a transaction changed.
public struct HistoryChange: Sendable, Hashable {
  /// Its number; changes of a transaction are in the order of their numbers.
  public let id: Int64
  /// Which entity; see ``TrackedTable/entity``.
  public let entity: String
  /// What happened.
  public let operation: HistoryOperation
  /// The row's key, in the order of ``TrackedTable/key``.
  public let key: [HistoryValue]
  /// Of an update: the declared columns that changed.
  public let columns: Set<String>
  /// Of an update: whether a column changed that is not declared.
  public let changesOther: Bool
  /// Of a deletion: the last values of the columns that are kept; empty where none is.
  public let tombstone: [String: HistoryValue]

  /// A change of its parts.
  public init(
    id: Int64, entity: String, operation: HistoryOperation, key: [HistoryValue], columns: Set<String> = [],
    changesOther: Bool = false, tombstone: [String: HistoryValue] = [:]
  ) {
    self.id = id
    self.entity = entity
    self.operation = operation
    self.key = key
    self.columns = columns
    self.changesOther = changesOther
    self.tombstone = tombstone
  }
}

/// One transaction of the store, as it was recorded.
public struct HistoryTransaction: Sendable, Hashable {
  /// Its number: rises by one with each transaction, in the order of their commits.
  public let seq: Int64
  /// Who wrote; nil for a client that did not say.
  public let author: String?
  /// The number of the process that wrote; nil for a client that did not say.
  public let process: Int64?
  /// What the writer called it.
  public let context: String?
  /// A random number that tells two transactions of one number apart, where a file was restored.
  public let nonce: Int64
  /// When it was written by the clock on the wall. For people: it may stand still or go back.
  public let date: Date
  /// The transaction whose handling wrote this one, if any.
  public let cause: Int64?
  /// The rows it changed, in order.
  public var changes: [HistoryChange]

  /// A transaction of its parts.
  public init(
    seq: Int64, author: String?, process: Int64? = nil, context: String? = nil, nonce: Int64 = 0, date: Date,
    cause: Int64? = nil, changes: [HistoryChange]
  ) {
    self.seq = seq
    self.author = author
    self.process = process
    self.context = context
    self.nonce = nonce
    self.date = date
    self.cause = cause
    self.changes = changes
  }
}

/// A position in the history of one store: a row of ours keeps it, or whoever reads along keeps it elsewhere.
public struct HistoryToken: Sendable, Hashable, CustomStringConvertible {
  /// Which store, 32 hexadecimal digits.
  public let store: String
  /// Which life of it: raised when it is declared restored.
  public let epoch: Int64
  /// The last transaction that was read.
  public let seq: Int64
  /// The random number of that transaction.
  public let nonce: Int64

  /// A position of its parts.
  public init(store: String, epoch: Int64, seq: Int64, nonce: Int64) {
    self.store = store
    self.epoch = epoch
    self.seq = seq
    self.nonce = nonce
  }

  /// Reads what ``description`` wrote; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "h1", parts[1].utf8.count == 32,
      parts[1].allSatisfy({ $0.isHexDigit && !$0.isUppercase }), let epoch = Int64(parts[2]), let seq = Int64(parts[3]),
      let nonce = UInt64(parts[4], radix: 16), epoch > 0, seq >= 0
    else { return nil }
    self.init(store: String(parts[1]), epoch: epoch, seq: seq, nonce: Int64(bitPattern: nonce))
  }

  /// A line of text without spaces, to be kept anywhere.
  public var description: String {
    "h1.\(store).\(epoch).\(seq).\(String(UInt64(bitPattern: nonce), radix: 16))"
  }
}
