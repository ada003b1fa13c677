import Weir
import WeirRadio

/// Two simulated modems, each on a pseudo-terminal.
struct RadioSimulation: Sendable {
  private let terminals: [PseudoTerminal]
  private let modems: [ModemSimulator]
  private let medium: Medium
  private let line: RadioLineOptions

  init(_ line: RadioLineOptions, link: SimulatedLink, seed: UInt64, faults: [FaultScript]) throws(RadioError) {
    self.line = line
    let clock = line.speed > 1 ? GraphClock(ScaledClock(factor: line.speed)) : GraphClock.continuous
    medium = Medium(seed: seed, clock: clock)
    medium.connect(0, 1, link)
    var terminals: [PseudoTerminal] = []
    for _ in FaultText.names { terminals.append(try PseudoTerminal()) }
    self.terminals = terminals
    modems = faults.indices.map { [medium] index in
      var options = ModemSimulator.Options(line.dialect, baud: line.baud) { line.channel($0) }
      options.settings["RATE"] = "\(RadioLineOptions.standardRate)"
      options.faults = faults[index]
      return ModemSimulator(options, radio: index, on: medium)
    }
  }

  /// Serves both terminals until the task is cancelled or the time is over.
  /// - Parameter tell: told when a modem is not served any more.
  /// - Returns: whether the time is over.
  func serve(for time: Duration?, _ tell: @escaping @Sendable (String) -> Void) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      for (name, (modem, terminal)) in zip(FaultText.names, zip(modems, terminals)) {
        group.addTask {
          do {
            try await modem.run(on: terminal.port)
          } catch {
            if !Task.isCancelled { tell("weir: modem \(name) is gone: \(error)") }
          }
          // The other one goes on.
          try? await ContinuousClock().sleep(for: .seconds(1 << 40))
          return false
        }
      }
      group.addTask {
        do {
          try await ContinuousClock().sleep(for: time ?? .seconds(1 << 40))
          return true
        } catch {
          return false
        }
      }
      let isOver = await group.next() ?? false
      group.cancelAll()
      return isOver
    }
  }

  // MARK: What is told

  private var words: String { "\(line.dialect.name), \(line.modulation), \(Humane.count(line.baud)) baud" }

  func readyText() -> [UInt8] {
    let lines = zip(FaultText.names, terminals).map { "\($0)  \($1.device)\n" } + ["\(words); Ctrl-C ends it\n"]
    return Array(lines.joined().utf8)
  }

  func readyJSON() -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("type", "ready")
    writer.key("modems")
    writer.beginArray()
    for (name, terminal) in zip(FaultText.names, terminals) {
      writer.beginObject()
      writer.field("name", name)
      writer.field("device", terminal.device)
      writer.endObject()
    }
    writer.endArray()
    writer.field("dialect", line.dialect.name)
    writer.field("modulation", "\(line.modulation)")
    writer.field("baud", line.baud)
    writer.field("speed", line.speed)
    writer.endObject()
    writer.endLine()
    return writer.bytes
  }

  private struct Way {
    let from: String
    let to: String
    let sent: Int
    let overruns: Int
    let counts: LinkCounts
  }

  private var ways: [Way] {
    [(0, 1), (1, 0)].map { from, to in
      Way(
        from: FaultText.names[from], to: FaultText.names[to], sent: modems[from].sentCount,
        overruns: modems[to].overruns, counts: medium.counts(from: from, to: to))
    }
  }

  func summaryText() -> [UInt8] {
    let lines = ways.map { way in
      let counts = way.counts
      let losses = [
        ("lost", counts.lost), ("damaged", counts.corrupted), ("collided", counts.collided),
        ("while the other sent", counts.deaf), ("on another channel", counts.elsewhere), ("not read", way.overruns),
      ].filter { $0.1 > 0 }.map { "\(Humane.count($0.1)) \($0.0)" }
      return "\(way.from) to \(way.to): \(Humane.count(counts.sent, "frame")) sent, "
        + ([Humane.count(counts.heard) + " heard"] + losses).joined(separator: ", ") + "\n"
    }
    return Array(lines.joined().utf8)
  }

  func summaryJSON() -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("type", "summary")
    writer.key("links")
    writer.beginArray()
    for way in ways {
      writer.beginObject()
      writer.field("from", way.from)
      writer.field("to", way.to)
      for (name, count) in [
        ("sent", way.counts.sent), ("heard", way.counts.heard), ("lost", way.counts.lost),
        ("corrupted", way.counts.corrupted), ("collided", way.counts.collided), ("deaf", way.counts.deaf),
        ("elsewhere", way.counts.elsewhere), ("unread", way.overruns),
      ] {
        writer.field(name, count)
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    return writer.bytes
  }
}
