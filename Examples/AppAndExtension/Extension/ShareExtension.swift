import AppAndExtensionStore
import WeirHistory

/// The share extension: inserts what it is given and ends. `ShareExtension STORE SENDER TEXT...` inserts each text as a message,
/// all in one transaction; without texts it plays what people may do.
@main
struct ShareExtension {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else { return print("usage: ShareExtension STORE [SENDER TEXT...]") }
    let history = try await ChatStore.open(path)
    if arguments.count > 2, let sender = arguments.dropFirst().first {
      try await insert(Array(arguments.dropFirst(2)), from: sender, into: history)
    } else {
      try await insert(["hi", "are you there?"], from: "Ann", into: history)
      try await insert(["inheritance"], from: "Prince", into: history)
      try await history.write(as: "ext.share") { connection in
        try connection.execute("UPDATE message SET read = 1 WHERE text = 'hi'")
        try connection.execute("UPDATE message SET text = 'are you?' WHERE text = 'are you there?'")
        try connection.execute("DELETE FROM message WHERE text = 'hi'")
      }
    }
    await history.close()
  }

  private static func insert(_ texts: [String], from sender: String, into history: History) async throws {
    try await history.write(as: "ext.share") { connection in
      let insert = try connection.cached("INSERT INTO message (sender, text) VALUES (?1, ?2)")
      for text in texts {
        insert.bind(sender, at: 1)
        insert.bind(text, at: 2)
        try insert.run()
      }
    }
  }
}
