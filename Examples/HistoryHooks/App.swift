import Foundation
import Weir
import WeirHistory
import WeirStore

/// The app: observes, filters and merges what others write.
enum App {
  static func run(_ path: String) async throws {
    let history = try await Program.open(path)
    try await history.register("app")
    let flow = try flow(history)
    print(flow.describe())
    try await flow.run { live in
      var merged = try live[live.handles].makeAsyncIterator()
      let notifier = try startExtension(path)
      while let batch = try await merged.next(), batch.cursor < 3 {}
      notifier.waitUntilExit()
      live.abort()
    }
    try await report(history)
    await history.close()
  }

  private static func flow(_ history: History) throws -> Blueprint<Handle<OutletSequence<HistoryMerged>>> {
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
    return try Blueprint("app") { graph in
      graph.source("history", HistorySource(history, author: "app"))
        .via("observers", observers)
        .via("merge hooks", hooks)
        .via("default merge", HistoryMerge(history, into: [.rows("badge", countUnread)], observers: observers))
        .sequence("merged")
    }
  }

  /// The default merge: badges follow the messages that others have touched.
  private static func countUnread(_ connection: Connection, _ transactions: [HistoryTransaction]) throws {
    try connection.execute(
      """
      DELETE FROM badge;
      INSERT INTO badge SELECT sender, count(*) FROM message WHERE read = 0 AND sender <> 'Prince' GROUP BY sender
      """)
  }

  private static func startExtension(_ path: String) throws -> Foundation.Process {
    let notifier = Foundation.Process()
    notifier.executableURL = Bundle.main.executableURL
    notifier.arguments = [path]
    try notifier.run()
    print("the app is process \(getpid()), the extension \(notifier.processIdentifier)")
    return notifier
  }

  private static func report(_ history: History) async throws {
    let badges = try await history.write(as: "app") { connection in
      try connection.prepare("SELECT group_concat(sender || ' ' || unread, ', ') FROM badge").firstString()
    }
    print("badges: \(badges ?? "none")")
    for letter in try await history.deadLetters() { print("dead letter: transaction \(letter.seq), \(letter.reason)") }
    for author in try await history.authors() {
      print("author \(author.name): \(author.role), \(author.cursor.map { "read up to \($0)" } ?? "only writes")")
    }
    let cleaning = try await history.clean()
    print("cleaned \(cleaning.transactions) transactions, held back by \(cleaning.heldBack)")
  }
}
