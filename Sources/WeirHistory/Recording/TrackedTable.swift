/// A table whose changes are recorded.
public struct TrackedTable: Sendable, Hashable {
  /// What observers and consumers call it.
  public let entity: String
  /// The table in the file.
  public let table: String
  /// The columns that identify a row for good: its primary key.
  public let key: [String]
  /// The columns of which a change is told one by one. A change of any other is told as a change of the row. At most 62.
  public let columns: [String]
  /// The columns whose last values a deletion keeps.
  public let tombstone: [String]

  /// The most columns that are told one by one: the bits of the mask, less one for the rest and the sign.
  public static let mostColumns = 62

  /// - Parameters:
  ///   - entity: its name for observers; by default that of the table.
  ///   - key: the columns of its primary key.
  ///   - columns: of which changes are told one by one.
  ///   - tombstone: what a deletion keeps. Keep nothing that a deletion is meant to destroy.
  public init(
    _ table: String, entity: String? = nil, key: [String], columns: [String] = [], tombstone: [String] = []
  ) {
    self.entity = entity ?? table
    self.table = table
    self.key = key
    self.columns = columns
    self.tombstone = tombstone
  }

  /// What is wrong with the declaration, in words.
  var fault: String? {
    if entity.isEmpty || table.isEmpty { return "an entity and its table need names" }
    let lower = table.lowercased()
    if lower.hasPrefix("history_") || lower.hasPrefix("sqlite_") { return "\(table) is not a table of yours" }
    if key.isEmpty { return "\(entity) has no key: rows could not be told apart" }
    if columns.count > Self.mostColumns {
      return "\(entity) declares \(columns.count) columns, the most are \(Self.mostColumns)"
    }
    let names = [table] + key + columns + tombstone
    if names.contains(where: { $0.utf8.contains(0) }) { return "a name of \(entity) holds a zero byte" }
    if names.contains(where: \.isEmpty) { return "a column of \(entity) has no name" }
    if Set(columns).count < columns.count || Set(key).count < key.count { return "\(entity) names a column twice" }
    return nil
  }
}

/// A name in SQL.
func quotedName(_ name: String) -> String {
  "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

/// A text in SQL.
func quotedText(_ text: String) -> String { HistoryValue.text(text).description }
