#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@main
struct Program {
  static let families = [
    memory, hintMemory, fused, nodes, hop, pipe, joins, parallel, latency, decode, hints, store, storeReads,
    observed, acknowledged, dedupe, search, history, chunks, radio,
  ]

  static func main() async {
    do {
      if CommandLine.arguments.dropFirst().first == HistoryPeer.argument {
        return try await HistoryPeer.run(CommandLine.arguments.dropFirst(2))
      }
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.help { return print(Options.helpText) }
      if options.list { return list() }
      exit(try await run(options))
    } catch {
      complain("error: \(error)")
      exit(2)
    }
  }

  private static func list() {
    for family in families {
      print("\(family.name): \(family.title)")
      for one in family.cases { print("  \(one.name)") }
    }
  }

  /// - Returns: the exit status.
  private static func run(_ options: Options) async throws -> Int32 {
    defer { StoreFiles.removeAll() }
    let runner = Runner(options: options)
    var reports: [FamilyReport] = []
    for family in try runner.selected(families) {
      var report = try await runner.run(family)
      // What a first reading of memory leaves in the allocator would hide what a second one takes.
      for _ in 0..<2 where options.check && report.isWorse && family.rounds == nil {
        complain("\(family.name): worse than its thresholds, measured again")
        report = report.better(try await runner.run(family))
      }
      if !options.json { print(report.text) }
      reports.append(report)
    }
    if options.json { try printJSON(reports) }
    let comparisons = reports.flatMap(\.comparisons)
    let goals = comparisons.filter { $0.reachesGoal != nil }
    let worse = comparisons.filter { $0.withinThreshold == false }
    if !options.json { print("\n\(goals.filter { $0.reachesGoal == true }.count) of \(goals.count) goals reached") }
    guard options.check else { return 0 }
    for one in worse {
      complain("worse: \(one.name): \(one.value.short), threshold \(one.threshold?.short ?? "none")")
    }
    let orphans = Thresholds.orphans(among: families)
    for name in orphans { complain("threshold without a comparison: \(name)") }
    return worse.isEmpty && orphans.isEmpty ? 0 : 1
  }

  private static func complain(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  private static func printJSON(_ reports: [FamilyReport]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    print(String(decoding: try encoder.encode(reports), as: UTF8.self))
  }
}
