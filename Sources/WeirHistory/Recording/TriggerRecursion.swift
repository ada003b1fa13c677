import WeirStore

/// Triggers of the user that may fire one another in a circle without end: on connections that record, a trigger also fires for
/// what it does itself (the setting `recursive_triggers`, without which a REPLACE hides what it deletes).
///
/// What can end the circle is believed to: a `WHEN`, a `WHERE` that names a column which the statement sets, a `WHERE` or an
/// `OR IGNORE` of an insertion. Deletions end when there is nothing left.
public struct TriggerRecursion: Sendable, Hashable, CustomStringConvertible {
  /// The triggers of the circle, in the order in which they fire one another.
  public let triggers: [String]
  /// The table of the first.
  public let table: String

  public var description: String {
    let circle = (triggers + triggers.prefix(1)).joined(separator: " fires ")
    return
      "\(circle), without end on a connection that records: give the trigger on \(table) a WHEN that is false the second "
      + "time, as in WHEN NEW.version = OLD.version"
  }

  /// All circles of a file.
  static func all(on connection: Connection) throws(StoreError) -> [TriggerRecursion] {
    let rows = try connection.prepare(
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'history\\_%' ESCAPE '\\'"
    )
    var triggers: [TriggerShape] = []
    while try rows.step() {
      triggers.append(TriggerShape(name: rows.string(0), table: rows.string(1), sql: rows.string(2)))
    }
    return circles(of: triggers)
  }

  private static func circles(of triggers: [TriggerShape]) -> [TriggerRecursion] {
    var found: [TriggerRecursion] = []
    var told: Set<String> = []
    for start in triggers {
      if told.contains(start.name) { continue }
      // The shortest way from the trigger to itself.
      var ways = [[start]]
      var seen: Set<String> = []
      while let way = ways.first {
        ways.removeFirst()
        guard let last = way.last, !last.isConditional else { continue }
        if last.fires(start) {
          found.append(TriggerRecursion(triggers: way.map(\.name), table: start.table))
          told.formUnion(way.map(\.name))
          break
        }
        for next in triggers where last.fires(next) && seen.insert(next.name).inserted { ways.append(way + [next]) }
      }
    }
    return found
  }
}

/// What a trigger waits for and what it does.
struct TriggerShape {
  /// A statement that changes rows, as far as triggers can tell.
  struct Write: Equatable {
    let operation: String
    let table: String
    var columns: Set<String> = []
  }

  let name: String
  let table: String
  let operation: String
  /// Of an update: the columns that it waits for; empty for any.
  private(set) var columns: Set<String> = []
  let isConditional: Bool
  private(set) var writes: [Write] = []

  init(name: String, table: String, sql: String) {
    self.name = name
    self.table = table.lowercased()
    let tokens = SQLToken.all(of: sql)
    let event = tokens.firstIndex { ["INSERT", "UPDATE", "DELETE"].contains($0.word) } ?? tokens.endIndex
    let begin = tokens[event...].firstIndex { $0.word == "BEGIN" } ?? tokens.endIndex
    let head = tokens[event..<begin]
    operation = head.first?.word ?? ""
    if head.dropFirst().first?.word == "OF" { columns = Self.names(head.dropFirst(2).prefix { $0.word != "ON" }) }
    isConditional = head.contains { $0.word == "WHEN" }
    writes = tokens[begin...].dropFirst().split { $0.word == ";" }.flatMap(Self.writes)
  }

  /// Whether something that it does fires the other one.
  func fires(_ other: TriggerShape) -> Bool {
    writes.contains {
      $0.table == other.table && $0.operation == other.operation
        && ($0.operation != "UPDATE" || other.columns.isEmpty || !$0.columns.isDisjoint(with: other.columns))
    }
  }

  /// What a statement writes without an end of its own.
  private static func writes(_ statement: ArraySlice<SQLToken>) -> [Write] {
    func table(after word: String) -> String {
      statement.firstIndex { $0.word == word }.map { statement[($0 + 1)...].first?.text.lowercased() ?? "" } ?? ""
    }
    let words = statement.map(\.word)
    switch words.first {
    case "INSERT", "REPLACE":
      let target = table(after: "INTO")
      var writes: [Write] = []
      if !words.contains("WHERE"), !words.contains("IGNORE") {
        writes.append(Write(operation: "INSERT", table: target))
      }
      if let set = statement.lastIndex(where: { $0.word == "SET" }) {
        writes += update(of: target, statement[set...])
      }
      return writes
    case "UPDATE":
      guard let set = statement.firstIndex(where: { $0.word == "SET" }) else { return [] }
      // UPDATE [OR word] table [AS name] SET
      let isAlternative = words.dropFirst().first == "OR"
      let target = statement.dropFirst(isAlternative ? 3 : 1).first?.text.lowercased() ?? ""
      return update(of: target, statement[set...])
    default: return []
    }
  }

  private static func update(of table: String, _ clause: ArraySlice<SQLToken>) -> [Write] {
    var (depth, columns): (Int, Set<String>) = (0, [])
    var names: ArraySlice<SQLToken> = []
    var isTarget = true
    var condition: ArraySlice<SQLToken> = []
    for (index, token) in zip(clause.indices, clause).dropFirst() {
      if token.word == "(" { depth += 1 }
      if token.word == ")" { depth -= 1 }
      if depth == 0, ["FROM", "WHERE", "RETURNING"].contains(token.word) {
        condition = clause[index...]
        break
      }
      if depth == 0, token.word == "=", isTarget {
        columns.formUnion(Self.names(names))
        (names, isTarget) = ([], false)
      } else if depth == 0, token.word == "," {
        isTarget = true
      } else if isTarget {
        names.append(token)
      }
    }
    let isGuarded = condition.contains { columns.contains($0.text.lowercased()) }
    return isGuarded ? [] : [Write(operation: "UPDATE", table: table, columns: columns)]
  }

  private static func names(_ tokens: ArraySlice<SQLToken>) -> Set<String> {
    Set(tokens.filter { !["(", ")", ","].contains($0.word) }.map { $0.text.lowercased() })
  }
}
