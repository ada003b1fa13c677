#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What tells one delivery of a group of changes from another. A group that is delivered again has the same.
public struct HistoryDelivery: Sendable, Hashable, CustomStringConvertible {
  /// Which store.
  public let store: String
  /// Which life of it.
  public let epoch: Int64
  /// Which transaction.
  public let seq: Int64
  /// Which entity.
  public let entity: String
  /// Which operation.
  public let operation: HistoryOperation

  /// A line of text without spaces (unless the entity's name holds some).
  public var description: String { "\(store).\(epoch).\(seq).\(operation.rawValue).\(entity)" }
}

/// One changed row, as an observer sees it.
public struct HookContext: Sendable, Hashable {
  /// Which entity; see ``TrackedTable/entity``.
  public let entityName: String
  /// What happened.
  public let operation: HistoryOperation
  /// The row's key.
  public let key: [HistoryValue]
  /// Of an update: the declared columns that changed.
  public let columns: Set<String>
  /// Of a deletion: what of the row is kept; nil where nothing is.
  public let tombstone: HistoryTombstone?
  /// When it was written by the clock on the wall.
  public let timestamp: Date
  /// Who wrote; nil for a client that did not say.
  public let author: String?
  /// The number of the process that wrote; nil for a client that did not say.
  public let process: Int64?
  /// Which transaction.
  public let seq: Int64
  /// Tells a delivery that comes again from a new one.
  public let delivery: HistoryDelivery
}

/// The changes of one transaction to one entity by one operation: what an observer gets in one call.
struct HookGroup: Sendable {
  let delivery: HistoryDelivery
  let contexts: [HookContext]

  /// The groups of a transaction, in the order in which each first appears in it.
  static func groups(of transaction: HistoryTransaction, store: String, epoch: Int64) -> [HookGroup] {
    var order: [HistoryDelivery] = []
    var contexts: [HistoryDelivery: [HookContext]] = [:]
    for change in transaction.changes {
      let delivery = HistoryDelivery(
        store: store, epoch: epoch, seq: transaction.seq, entity: change.entity, operation: change.operation)
      if contexts[delivery] == nil { order.append(delivery) }
      contexts[delivery, default: []].append(
        HookContext(
          entityName: change.entity, operation: change.operation, key: change.key, columns: change.columns,
          tombstone: change.tombstone.isEmpty
            ? nil : HistoryTombstone(attributes: change.tombstone, deletedDate: transaction.date),
          timestamp: transaction.date,
          author: transaction.author, process: transaction.process, seq: transaction.seq, delivery: delivery))
    }
    return order.map { HookGroup(delivery: $0, contexts: contexts[$0] ?? []) }
  }
}
