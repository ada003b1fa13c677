import AppAndExtensionStore
import Foundation
import Weir
import WeirHistory
import WeirStore
import WeirTrace

/// The app: observes, filters and merges what others write into a read model of its own, the badges.
///
/// `ChatApp STORE` follows a store until its input ends; without a store it makes one, starts the extension as a process of
/// its own, and ends when all is merged; `--graph svg|dot|mermaid|text` prints the graph.
@main
struct ChatApp {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let path = arguments.first, path != "--graph" { return try await follow(path) }
    let folder = FileManager.default.temporaryDirectory.path + "/weir-app-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    if arguments.first == "--graph" {
      let history = try await ChatStore.open(folder + "/chat.sqlite")
      let form: DescriptionForm = arguments.last == "dot" ? .dot : arguments.last == "mermaid" ? .mermaid : .text
      let graph = try flow(history)
      print(arguments.last == "svg" ? GraphDrawing(graph).svg : graph.describe(as: form), terminator: "")
      return await history.close()
    }
    try await play(folder + "/chat.sqlite")
  }

  /// Beside an extension that somebody else starts, or many of them.
  private static func follow(_ path: String) async throws {
    let history = try await ChatStore.open(path)
    try await history.register("app")
    print("the app is process \(getpid()) and follows \(path); end its input (^D) to stop it")
    try await flow(history).run { live in
      await withCheckedContinuation { ended in
        Thread.detachNewThread {
          while readLine() != nil {}
          ended.resume()
        }
      }
      live.abort()
    }
    try await report(history)
    await history.close()
  }

  /// With an extension of its own, until that has written three transactions.
  private static func play(_ path: String) async throws {
    let history = try await ChatStore.open(path)
    try await history.register("app")
    try await flow(history).run { live in
      var merged = try live[live.handles].makeAsyncIterator()
      let writer = try startExtension(path)
      while let batch = try await merged.next(), batch.cursor < 3 {}
      writer.waitUntilExit()
      live.abort()
    }
    try await report(history)
    await history.close()
  }

  private static func flow(_ history: History) throws -> Blueprint<Handle<OutletSequence<HistoryMerged>>> {
    let observers = HistoryObservers()
    observers.register(entity: "message", operation: .insert) { contexts in
      let first = contexts[0]
      print("observer: \(contexts.count) new from \(first.author ?? "nobody"), process \(first.process ?? 0)")
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
      for transaction in input.transactions {
        for change in transaction.changes where change.operation == .insert {
          if try isSpam(change.key[0], in: history) { return .reject(transaction.seq, "spam") }
        }
      }
      return .goOn
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

  /// Reads on a connection of its own: a hook decides and holds nothing up.
  private static func isSpam(_ key: HistoryValue, in history: History) throws -> Bool {
    let connection = try Connection(path: history.path, options: .reader)
    return try connection.prepare("SELECT 1 FROM message WHERE id = \(key) AND sender = 'Prince'").firstInt64() != nil
  }

  private static func startExtension(_ path: String) throws -> Foundation.Process {
    let writer = Foundation.Process()
    // Built beside this one.
    let folder = Bundle.main.executableURL?.deletingLastPathComponent()
    writer.executableURL = folder?.appendingPathComponent("ShareExtension")
    writer.arguments = [path]
    try writer.run()
    print("the app is process \(getpid()), the extension \(writer.processIdentifier)")
    return writer
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
