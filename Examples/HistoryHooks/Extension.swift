import WeirHistory

/// The notification extension: writes what it is told and ends.
enum Extension {
  static func run(_ path: String) async throws {
    let history = try await Program.open(path)
    try await history.write(as: "ext.notify") { connection in
      try connection.execute("INSERT INTO message VALUES ('m1', 'Ann', 'hi', 0), ('m2', 'Ann', 'are you there?', 0)")
    }
    try await history.write(as: "ext.notify", context: "spam") { connection in
      try connection.execute("INSERT INTO message VALUES ('m3', 'Prince', 'inheritance', 0)")
    }
    try await history.write(as: "ext.notify") { connection in
      try connection.execute(
        "UPDATE message SET read = 1 WHERE id = 'm1'; UPDATE message SET text = 'are you?' WHERE id = 'm2'")
      try connection.execute("DELETE FROM message WHERE id = 'm1'")
    }
    await history.close()
  }
}
