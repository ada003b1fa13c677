import Foundation
import Testing
import Weir
import WeirRadio
import WeirTesting

/// The time on air used, over restarts.
@Suite struct DutyLedgerFileTests {
  private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = NSTemporaryDirectory() + "weir-airtime-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory + "/airtime")
  }

  private func options() throws -> SchedulerOptions {
    SchedulerOptions(
      channel: RadioChannel(
        frequency: 868_100_000, modulation: .bitRate(try BitRateModulation(rate: 1_000, maximumBytes: 1_000))),
      region: .eu868)
  }

  private func frame(_ bytes: Int) -> RadioFrame {
    RadioFrame(.control, payload: [UInt8](repeating: 1, count: bytes), timeToLive: .seconds(30))
  }

  /// Sends frames of eight seconds until one expires, in virtual time, and says how many were sent.
  private func sendAll(_ ledger: DutyLedgerFile?) throws -> Int {
    try simulate(seed: 1) { simulation in
      let clock = GraphClock(simulation.clock)
      let scheduler = try RadioFrameScheduler(
        try options(), radio: ScriptedRadio(clock: clock), clock: clock, ledger: ledger)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await scheduler.run() }
        var sent = 0
        while await scheduler.send(frame(1_000)).fate.kind == .sent { sent += 1 }
        group.cancelAll()
        try await group.waitForAll()
        return sent
      }
    }
  }

  @Test func `what was sent before a restart still counts`() async throws {
    try await withDirectory { path in
      do {
        let ledger = try DutyLedgerFile(path: path, assumingSilence: true)
        #expect(try sendAll(ledger) == 4)
      }
      let again = try DutyLedgerFile(path: path, assumingSilence: true)
      let sent = try sendAll(again)
      #expect(sent == 0)
    }
  }

  @Test func `a file that is new, damaged or cut off counts as spent`() async throws {
    try await withDirectory { path in
      let new = try sendAll(try DutyLedgerFile(path: path))
      #expect(new == 0)
      for damage in ["", "weir-airtime 2\n", "weir-airtime 1", "weir-airtime 1\nM boot x 5\n", "\u{0}\u{1}"] {
        try Data(damage.utf8).write(to: URL(fileURLWithPath: path))
        let sent = try sendAll(try DutyLedgerFile(path: path))
        #expect(sent == 0, "\(damage)")
      }
      // Written down as spent, it is known from then on.
      #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("weir-airtime 1\n"))
    }
  }

  @Test func `a line cut off by a crash is one that was not sent`() async throws {
    try await withDirectory { path in
      try Data("weir-airtime 1\nM some-other".utf8).write(to: URL(fileURLWithPath: path))
      let sent = try sendAll(try DutyLedgerFile(path: path))
      #expect(sent == 4)
    }
  }

  @Test func `what was noted before the machine was started counts as sent just now, once`() async throws {
    try await withDirectory { path in
      try Data("weir-airtime 1\nM another-boot 12 30000000000\n".utf8).write(to: URL(fileURLWithPath: path))
      let sent = try sendAll(try DutyLedgerFile(path: path))
      #expect(sent == 0)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(!text.contains("another-boot"))
    }
  }

  @Test func `a second process is refused, and so is a path that cannot be`() async throws {
    try await withDirectory { path in
      let ledger = try DutyLedgerFile(path: path)
      let second = #expect(throws: RadioError.self) { try DutyLedgerFile(path: path) }
      #expect(second?.kind == .ledgerFailed)
      withExtendedLifetime(ledger) {}
      let nowhere = #expect(throws: RadioError.self) { try DutyLedgerFile(path: path + "/none/airtime") }
      #expect(nowhere?.kind == .ledgerFailed)
    }
  }

  @Test func `a long history is kept short and loses nothing`() async throws {
    try await withDirectory { path in
      let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        .trimmingCharacters(in: .newlines)
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      let now = time.tv_sec * 1_000_000_000
      var text = "weir-airtime 1\n"
      for index in 0..<8_191 { text += "M \(boot) \(now - 9_000_000 + index) 1000000\n" }
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let sent = try sendAll(try DutyLedgerFile(path: path))
      // 8.191 s were used: three more frames of eight seconds fit into 36.
      #expect(sent == 3)
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      #expect(lines.count < 4_200)
      let sum = lines.dropFirst().compactMap { Int($0.split(separator: " ")[3]) }.reduce(0, +)
      #expect(sum == 8_191_000_000 + 3 * 8_000_000_000)
    }
  }
}
