import Weir
import WeirHistory
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An app and its notification extension on one store: what the extension writes reaches the app through observers, merge
/// hooks and the default merge, and the history is cleaned when all have read it.
@main
struct Program {
  static let schema = Schema(
    applicationID: 0x7765_6878,
    migrations: [
      Migration(
        "first",
        """
        CREATE TABLE message (id TEXT PRIMARY KEY, sender TEXT NOT NULL, text TEXT NOT NULL, read INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE badge (sender TEXT PRIMARY KEY, unread INTEGER NOT NULL);
        """)
    ])
  static let tables = [TrackedTable("message", key: ["id"], columns: ["text", "read"], tombstone: ["sender"])]

  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/weir-history-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let app = try await History.open(folder + "/chat.sqlite", schema: schema, tracking: tables)
    try await app.register("app")

    let observers = HistoryObservers()
    observers.register(entity: "message", operation: .insert) { contexts in
      print("observer: \(contexts.count) new from \(contexts[0].author ?? "nobody")")
    }
    // A receipt must not wake what only cares for texts.
    observers.register(entity: "message", operation: .update, columns: ["text"]) { contexts in
      print("observer: text of \(contexts[0].key[0]) changed")
    }
    observers.register(entity: "message", operation: .delete) { contexts in
      print("observer: gone, was from \(contexts[0].tombstone?["sender"] ?? .null)")
    }
    let hooks = HistoryMergeHooks()
    hooks.register(name: "spam filter") { input in
      guard let spam = input.transactions.first(where: { $0.context == "spam" }) else { return .goOn }
      return .reject(spam.seq, "spam")
    }
    let flow = try Blueprint("app") { graph in
      graph.source("history", HistorySource(app, author: "app"))
        .via("observers", observers)
        .via("merge hooks", hooks)
        .via("default merge", HistoryMerge(app, into: [.rows("badge", countUnread)], observers: observers))
        .sequence("merged")
    }
    print(flow.describe())

    // The extension: in life a process of its own, with a handle of its own.
    let notifier = try await History.open(folder + "/chat.sqlite", schema: schema, tracking: tables)
    try await flow.run { live in
      var merged = try live[live.handles].makeAsyncIterator()
      try await notifier.write(as: "ext.notify") { connection in
        try connection.execute("INSERT INTO message VALUES ('m1', 'Ann', 'hi', 0), ('m2', 'Ann', 'are you there?', 0)")
      }
      try await notifier.write(as: "ext.notify", context: "spam") { connection in
        try connection.execute("INSERT INTO message VALUES ('m3', 'Prince', 'inheritance', 0)")
      }
      try await notifier.write(as: "ext.notify") { connection in
        try connection.execute(
          "UPDATE message SET read = 1 WHERE id = 'm1'; UPDATE message SET text = 'are you?' WHERE id = 'm2'")
        try connection.execute("DELETE FROM message WHERE id = 'm1'")
      }
      while let batch = try await merged.next(), batch.cursor < 3 {}
      live.abort()
    }
    let badges = try await app.write(as: "app") { connection in
      try connection.prepare("SELECT group_concat(sender || ' ' || unread, ', ') FROM badge").firstString()
    }
    print("badges: \(badges ?? "none")")
    for letter in try await app.deadLetters() { print("dead letter: transaction \(letter.seq), \(letter.reason)") }
    for author in try await app.authors() {
      print("author \(author.name): \(author.role), \(author.cursor.map { "read up to \($0)" } ?? "only writes")")
    }
    let cleaning = try await app.clean()
    print("cleaned \(cleaning.transactions) transactions, held back by \(cleaning.heldBack)")
    await notifier.close()
    await app.close()
  }

  /// The default merge: badges follow the messages of the senders that others touched.
  static func countUnread(_ connection: Connection, _ transactions: [HistoryTransaction]) throws {
    try connection.execute(
      """
      DELETE FROM badge;
      INSERT INTO badge SELECT sender, count(*) FROM message WHERE read = 0 AND sender <> 'Prince' GROUP BY sender
      """)
  }
}
