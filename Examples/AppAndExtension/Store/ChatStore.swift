import WeirHistory
import WeirStore

/// The store that the app and its extension share: both open it in the same way, whoever comes first.
public enum ChatStore {
  /// Opens the store at a path, and makes it where there is none.
  public static func open(_ path: String) async throws -> History {
    let schema = Schema(
      applicationID: 0x7765_6878,
      migrations: [
        Migration(
          "first",
          """
          CREATE TABLE message (
            id INTEGER PRIMARY KEY, sender TEXT NOT NULL, text TEXT NOT NULL, read INTEGER NOT NULL DEFAULT 0);
          CREATE TABLE badge (sender TEXT PRIMARY KEY, unread INTEGER NOT NULL);
          """)
      ])
    let message = TrackedTable("message", key: ["id"], columns: ["text", "read"], tombstone: ["sender"])
    return try await History.open(path, schema: schema, tracking: [message])
  }
}
