import WeirStore

/// The triggers that record what happens to a table, whoever writes: also a raw client that knows nothing of them.
///
/// A transaction of ours is complete when its last row has the last number there is for it. Where the newest row has that, the
/// writer is unknown, and since a trigger cannot see where a transaction ends, each row it changes becomes a transaction
/// of its own, complete at once: a trigger of the log sees to that, which costs a third of a conditional statement here.
struct RecordingTriggers {
  let table: TrackedTable
  /// Number of the entity in the file.
  let entity: Int64
  /// All columns of the table.
  let all: [String]

  static let operations = ["insert", "update", "move", "delete"]

  /// The statements that take the triggers of an entity away.
  static func drop(_ entity: Int64) -> [String] {
    operations.map { "DROP TRIGGER IF EXISTS \(name(entity, $0))" }
  }

  private static func name(_ entity: Int64, _ operation: String) -> String { "history_\(entity)_\(operation)" }

  /// The statements that make the triggers.
  var create: [String] {
    let target = quotedName(table.table)
    let moved = Self.any(table.key)
    let changed = Self.any(all)
    return [
      trigger("insert", "AFTER INSERT ON \(target)", [change(.insert, "NEW")]),
      trigger(
        "update", "AFTER UPDATE ON \(target) WHEN NOT (\(moved)) AND (\(changed))", [change(.update, "NEW", mask: mask)]
      ),
      // A row under a new key is another row: the old one is gone.
      trigger(
        "move", "AFTER UPDATE ON \(target) WHEN \(moved)",
        [change(.delete, "OLD", tombstone: tombstone), change(.insert, "NEW")]),
      trigger("delete", "AFTER DELETE ON \(target)", [change(.delete, "OLD", tombstone: tombstone)]),
    ]
  }

  private func trigger(_ operation: String, _ event: String, _ statements: [String]) -> String {
    "CREATE TRIGGER \(Self.name(entity, operation)) \(event) BEGIN\n"
      + statements.map { $0 + ";\n" }.joined() + "END"
  }

  /// The row follows the newest one, and so belongs to the transaction that is open.
  private func change(
    _ operation: HistoryOperation, _ row: String, mask: String = "NULL", tombstone: String = "NULL"
  ) -> String {
    "INSERT INTO history_log (entity, op, key, mask, tombstone) VALUES ("
      + "\(entity), \(operation.rawValue), \(key(row)), \(mask), \(tombstone))"
  }

  /// A key of one column is kept as it is, one of several as a list of literals.
  private func key(_ row: String) -> String {
    if table.key.count == 1 { return "\(row).\(quotedName(table.key[0]))" }
    return Self.literals(table.key, row)
  }

  private var tombstone: String { table.tombstone.isEmpty ? "NULL" : Self.literals(table.tombstone, "OLD") }

  private static func literals(_ columns: [String], _ row: String) -> String {
    columns.map { HistoryValue.recording("\(row).\(quotedName($0))") }.joined(separator: " || ',' || ")
  }

  /// A bit for each column that is told one by one, and the last for any other.
  private var mask: String {
    let told = table.columns.enumerated().map { "((\(Self.differs($0.element))) << \($0.offset))" }
    let rest = all.filter { !table.columns.contains($0) }
    let other = rest.isEmpty ? [] : ["((\(Self.any(rest))) << \(TrackedTable.mostColumns))"]
    return Self.balanced(told + other, " | ")
  }

  private static func any(_ columns: [String]) -> String { balanced(columns.map(differs), " OR ") }

  /// Whether the stored value is another one: whatever the column's collation takes for equal, and a whole number for a real
  /// one, are changes all the same.
  private static func differs(_ column: String) -> String {
    let (new, old) = ("NEW.\(quotedName(column))", "OLD.\(quotedName(column))")
    return "(\(new) COLLATE BINARY IS NOT \(old) OR typeof(\(new)) <> typeof(\(old)))"
  }

  /// Joins terms in halves: SQLite bounds the depth of an expression, and a table may have two thousand columns.
  private static func balanced(_ terms: [String], _ operation: String) -> String {
    guard terms.count > 2 else { return terms.joined(separator: operation) }
    let middle = terms.count / 2
    return "(" + balanced(Array(terms[..<middle]), operation) + ")" + operation + "("
      + balanced(Array(terms[middle...]), operation) + ")"
  }
}
