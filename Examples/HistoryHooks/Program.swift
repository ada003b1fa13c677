import Foundation
import Weir
import WeirHistory
import WeirStore

/// An app and its notification extension, two processes on one store: what the extension writes reaches the app through
/// observers, merge hooks and the default merge, and the history is cleaned when all have read it. The app starts the extension,
/// which is this same program with the path of the store as its argument.
@main
struct Program {
  static func main() async throws {
    if let path = CommandLine.arguments.dropFirst().first { return try await Extension.run(path) }
    let folder = FileManager.default.temporaryDirectory.path + "/weir-history-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await App.run(folder + "/chat.sqlite")
  }

  /// Both open the store in the same way, whoever comes first.
  static func open(_ path: String) async throws -> History {
    let schema = Schema(
      applicationID: 0x7765_6878,
      migrations: [
        Migration(
          "first",
          """
          CREATE TABLE message (
            id TEXT PRIMARY KEY, sender TEXT NOT NULL, text TEXT NOT NULL, read INTEGER NOT NULL DEFAULT 0);
          CREATE TABLE badge (sender TEXT PRIMARY KEY, unread INTEGER NOT NULL);
          """)
      ])
    let message = TrackedTable("message", key: ["id"], columns: ["text", "read"], tombstone: ["sender"])
    return try await History.open(path, schema: schema, tracking: [message])
  }
}
