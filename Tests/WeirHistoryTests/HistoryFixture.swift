import Foundation
import Testing
import WeirHistory
import WeirStore

/// A folder of its own with a store of people and items, removed at the end.
final class HistoryFixture: Sendable {
  let folder: String
  let path: String

  static let tables = [
    TrackedTable("person", entity: "Person", key: ["id"], columns: ["name", "age"], tombstone: ["name", "age"]),
    TrackedTable("item", entity: "Item", key: ["shelf", "number"], columns: ["label"]),
  ]

  static let schema = Schema(
    applicationID: 0x7765_6972,
    migrations: [
      Migration(
        "first",
        """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, photo BLOB);
        CREATE TABLE item (shelf TEXT, number INTEGER, label TEXT, PRIMARY KEY (shelf, number)) WITHOUT ROWID;
        CREATE TABLE projection (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        """)
    ])

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/history-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/store.sqlite"
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Called last: keeps the folder until then.
  func keep() {}

  func open(
    _ tables: [TrackedTable] = HistoryFixture.tables, options: HistoryOptions = HistoryOptions()
  ) async throws -> History {
    try await History.open(path, schema: Self.schema, tracking: tables, options: options)
  }

  /// Writes as a program that knows nothing of the history.
  func raw(_ sql: String) throws {
    let connection = try Connection(path: path, options: ConnectionOptions(access: .readWrite))
    try connection.execute(sql)
    connection.close()
  }
}

extension History {
  /// Inserts people.
  @discardableResult
  func insert(_ names: String..., as author: String) async throws -> Int64? {
    try await recorded(as: author) { connection in
      let insert = try connection.prepare("INSERT INTO person (name) VALUES (?1)")
      for name in names {
        insert.bind(name, at: 1)
        try insert.run()
      }
    }.seq
  }

  @discardableResult
  func run(_ sql: String, as author: String) async throws -> Int64? {
    try await recorded(as: author) { connection in try connection.execute(sql) }.seq
  }
}

/// Waits until something holds, for as long as a busy machine may take.
func eventually(_ what: Comment? = nil, _ condition: () async throws -> Bool) async throws {
  for _ in 0..<20_000 {
    if try await condition() { return }
    try await Task.sleep(for: .milliseconds(2))
  }
  Issue.record(what ?? "it has not come to that")
}
