import Foundation
import WeirHistory
import WeirStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A second process that writes rows, each with the moment of its commit, while this one reads them.
enum HistoryPeer {
  /// The first argument of a process that is one.
  static let argument = "--history-peer"

  /// The peer: writes so many rows, with pauses, into the store at a path.
  static func run(_ arguments: some Sequence<String>) async throws {
    var rest = Array(arguments)[...]
    guard let path = rest.popFirst(), let count = rest.popFirst().flatMap({ Int($0) }) else {
      throw BenchmarkError.peer("\(argument) PATH COUNT")
    }
    let history = try await HistoryLoad.open(path)
    for number in 0..<count {
      try await Task.sleep(for: .microseconds(1_500 + number % 7 * 200))
      try await history.write(as: "peer") { connection in
        let insert = try connection.cached(
          "INSERT INTO message (client, conversation, sent, sender, body) VALUES (?1, 1, ?2, 'peer', 'x')")
        insert.bind("peer \(number)", at: 1)
        // The last statement before the COMMIT, which therefore counts.
        insert.bind(now(), at: 2)
        try insert.run()
      }
    }
    await history.close()
  }

  /// Nanoseconds from right before a COMMIT in another process until its row is read in this one; that of the given
  /// percentile.
  static func latency(_ count: Int, _ percentile: Int) async throws -> Double {
    try await inFolder { path in
      let history = try await HistoryLoad.open(path)
      let start = try await history.now()
      let reader = try Connection(path: path, options: .reader)
      let row = try reader.prepare("SELECT sent FROM message WHERE id = ?1")
      let peer = Process()
      peer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      peer.arguments = [argument, path, "\(count)"]
      try peer.run()
      var taken: [Int64] = []
      for try await page in history.pages(after: start) {
        for change in page.transactions.flatMap(\.changes) {
          guard case .integer(let id)? = change.key.first else { continue }
          row.bind(id, at: 1)
          taken.append(now() - (try row.firstInt64() ?? 0))
        }
        if taken.count >= count { break }
      }
      peer.waitUntilExit()
      guard peer.terminationStatus == 0 else { throw BenchmarkError.peer("the second process failed") }
      await history.close()
      // The first ones find everything cold.
      let sorted = taken.dropFirst(count / 20).sorted()
      return Double(sorted[min(sorted.count - 1, sorted.count * percentile / 100)])
    }
  }

  /// Nanoseconds of a clock that both processes share.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
