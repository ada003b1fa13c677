import Foundation
import Testing
import WeirStore

@testable import WeirCommandKit

/// `kill -9` of the real executable, at any moment.
@Suite struct `A killed replay` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `is completed by the same command, to the content of an undisturbed run`() async throws {
    let soak = ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1"
    let (stores, killsEach) = soak ? (8, 25) : (2, 13)
    try generate(roughSettings(messages: soak ? 30_000 : 3_000, seed: 21), to: "in", in: folder)
    let start = ContinuousClock.now
    try replay(to: "undisturbed").waitUntilExit()
    var duration = ContinuousClock.now - start
    let expected = try await contentHash(folder.file("undisturbed"))
    var random = SeededRandom(seed: 21, stream: 1)
    for store in 0..<stores {
      var kills = 0
      for _ in 0..<(4 * killsEach) where kills < killsEach {
        // From before it has opened its store to shortly before its end, by the time of the latest run that ended.
        let moment = duration * (Double(random.below(1_000)) / 1_000)
        if try await replay(to: "killed-\(store)", killedAfter: moment) { kills += 1 } else { duration = moment }
      }
      #expect(kills == killsEach)
      let last = try replay(to: "killed-\(store)")
      last.waitUntilExit()
      #expect(last.terminationStatus == 0)
      #expect(try await contentHash(folder.file("killed-\(store)")) == expected, "store \(store)")
    }
  }

  /// Starts a replay and kills it after a while; false when it had ended by itself.
  private func replay(to store: String, killedAfter moment: Duration) async throws -> Bool {
    let process = try replay(to: store)
    try await Task.sleep(for: moment)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }

  private func replay(to store: String) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Shell.program)
    process.arguments = [
      "replay", folder.file("in"), "--store", folder.file(store), "--rejects", folder.file("\(store).rejects"),
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return process
  }
}
