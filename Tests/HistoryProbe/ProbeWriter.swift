import WeirHistory
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes transactions of rows.
struct ProbeWriter {
  private let arguments: ProbeArguments

  init(_ arguments: ProbeArguments) { self.arguments = arguments }

  func run() async throws {
    let history = try await ProbeStore.open(arguments)
    say("ready")
    var number = 0
    while arguments.count == 0 || number < arguments.count {
      number += 1
      try await write(history, number)
      if arguments.pause > 0 { try await Task.sleep(for: .milliseconds(arguments.pause)) }
    }
    await history.close()
  }

  private func write(_ history: History, _ number: Int) async throws {
    let author = arguments.author
    let prefix = arguments.isSame ? "same" : "\(author)-\(getpid())"
    let seq = try await history.recorded(as: author) { [arguments] connection in
      let insert = try connection.prepare(
        "INSERT INTO message (client, sender, body) VALUES (?1, ?2, ?3) ON CONFLICT (client) DO UPDATE SET body = ?3")
      for row in 0..<arguments.rows {
        insert.bind("\(prefix)-\(number)-\(row)", at: 1)
        insert.bind(author, at: 2)
        insert.bind("text \(number)", at: 3)
        try insert.run()
      }
      arguments.dieIf("body", [Int64(number)])
      if arguments.holds {
        say("holding")
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
      }
    }.seq
    say("wrote \(seq ?? 0)")
  }
}
