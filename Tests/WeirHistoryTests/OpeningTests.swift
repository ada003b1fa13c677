import Foundation
import Testing
import WeirHistory
import WeirStore

@testable import HistoryProbe

/// Opening a file that others have open.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OpeningTests {
  @Test func `a reader opens and reads while another process holds the writer's lock`() async throws {
    let shared = try SharedStore()
    defer { shared.keep() }
    try await shared.prepare("app")
    let history = try await shared.open()
    try await history.insertMessage(as: "ext")
    await history.close()
    let holder = try ProbeProcess("write", shared.path, "ext", "--hold")
    try await eventually { holder.lines.contains("holding") }
    // Both locks are taken: ours, and that of SQLite.
    let raw = try Connection(
      path: shared.path, options: ConnectionOptions(access: .readWrite, busyTimeoutMilliseconds: 0))
    #expect(throws: StoreError.self) { try raw.execute("BEGIN IMMEDIATE") }
    raw.close()
    let reader = try await shared.open()
    #expect(try await reader.register("app") == 0)
    let page = try await reader.page(after: reader.cursor(of: "app"), from: .everybody)
    #expect(page.transactions.map(\.seq) == [1])
    // A tracker starts as well, and merges when the writer has ended.
    let tracker = try await HistoryTracker(reader, currentAuthor: "app", batchAuthors: ["ext"], logLevel: .none)
    #expect(!holder.hasEnded && holder.numbers("wrote").isEmpty)
    try holder.endInput()
    #expect(try await holder.ended())
    try await eventually { try await reader.cursor(of: "app").seq == 2 }
    await tracker.stopAndWait()
    await reader.close()
  }

  /// A trigger, and what is written to a table that has it.
  private static let triggers: [(sql: String, statement: String)] = [
    (
      "CREATE TRIGGER touch AFTER UPDATE ON person BEGIN UPDATE person SET age = 1 WHERE id = NEW.id; END",
      "UPDATE person SET name = 'Bo'"
    ),
    (
      "CREATE TRIGGER touch AFTER UPDATE ON person BEGIN UPDATE person SET age = age + 1 WHERE id = NEW.id; END",
      "UPDATE person SET name = 'Bo'"
    ),
    (
      "CREATE TRIGGER touch AFTER UPDATE ON person WHEN NEW.age IS OLD.age BEGIN UPDATE person SET age = coalesce(age, 0) + 1 WHERE id = NEW.id; END",
      "UPDATE person SET name = 'Bo'"
    ),
    (
      "CREATE TRIGGER touch AFTER UPDATE OF name ON person BEGIN UPDATE person SET age = 1 WHERE id = NEW.id; END",
      "UPDATE person SET name = 'Bo'"
    ),
    (
      "CREATE TRIGGER touch AFTER UPDATE OF \"AGE\", name ON person BEGIN UPDATE person SET (photo, age) = (1, 2); END",
      "UPDATE person SET name = 'Bo'"
    ),
    (
      "CREATE TRIGGER touch AFTER UPDATE ON person BEGIN UPDATE person SET age = 1 WHERE id = NEW.id AND age IS NOT 1; END",
      "UPDATE person SET name = 'Bo'"
    ),
    (
      "CREATE TRIGGER \"UPDATE\" AFTER INSERT ON person BEGIN INSERT INTO [person] (name) VALUES ('another; END'); END",
      "INSERT INTO person (name) VALUES ('Bo')"
    ),
    (
      "CREATE TRIGGER double AFTER INSERT ON person BEGIN INSERT OR IGNORE INTO person (id, name) VALUES (1, 'x'); END",
      "INSERT INTO person (name) VALUES ('Bo')"
    ),
    (
      "CREATE TRIGGER tree AFTER DELETE ON person BEGIN DELETE FROM person WHERE age = OLD.id; END",
      "DELETE FROM person"
    ),
    (
      """
      CREATE TRIGGER there AFTER UPDATE ON person BEGIN /* UPDATE person */ UPDATE item SET label = NEW.name; END;
      CREATE TRIGGER back AFTER UPDATE ON item BEGIN UPDATE person SET age = (SELECT count(*) FROM item WHERE label = ''); END;
      INSERT INTO item VALUES ('a', 1, 'x');
      """, "UPDATE person SET name = 'Bo'"
    ),
  ]

  @Test(arguments: triggers.indices)
  func `a trigger of the user that runs into itself is told at the opening, and named where it does`(
    index: Int
  ) async throws {
    let (sql, statement) = Self.triggers[index]
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var history = try await fixture.open()
    try await history.insert("Ann", as: "app")
    await history.close()
    try fixture.raw(sql)
    history = try await fixture.open()
    let recursions = history.notices.compactMap { if case .recursion(let one) = $0 { one } else { nil } }
    // SQLite knows.
    do {
      try await history.run(statement, as: "app")
      #expect(recursions.isEmpty, "\(recursions) of \(sql)")
    } catch let error as HistoryError {
      #expect(error.kind == .recursingTrigger && !recursions.isEmpty, "\(error) of \(sql)")
      for name in recursions.flatMap(\.triggers) { #expect(sql.contains(name) && error.detail.contains(name)) }
    }
    await history.close()
  }
}
