import Foundation
import Testing
import WeirChat

@testable import WeirCommandKit

@Suite struct `Replaying` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/Data/inbox.jsonl").path

  private func lines(_ summary: [String: Any]) throws -> [String: Int] {
    try #require(summary["lines"] as? [String: Int])
  }

  private func store(_ summary: [String: Any]) throws -> [String: Any] {
    try #require(summary["store"] as? [String: Any])
  }

  @Test func `the example gives what was generated, and replaying it again changes nothing`() async throws {
    let report = try generate(roughSettings(messages: 4_600, seed: 2_026), to: "again.jsonl", in: folder)
    #expect(try folder.contents(of: "again.jsonl") == [UInt8](Data(contentsOf: URL(fileURLWithPath: Self.example))))

    let command = "weir replay '\(Self.example)' --json --hash --rejects rejects"
    let result = try Shell.run(command, in: folder)
    #expect(result.code == 0 && result.errors == "")
    let summary = try result.summary()
    let lines = try lines(summary)
    #expect(lines["read"] == report.lines)
    #expect(lines["refused"] == report.refused)
    #expect(lines["unsettled"] == 0)
    let recalls = report.recalls.values.reduce(0, +)
    #expect((lines["recalled"] ?? 0) + (lines["orphaned"] ?? 0) >= recalls)
    let events = ["typing": report.kinds[.typing] ?? 0, "ignored.empty-client-id": report.malformed[.missingID] ?? 0]
    #expect(summary["events"] as? [String: Int] == events)
    let totals = try store(summary)
    #expect(totals["messages"] as? Int == report.stored)
    #expect(totals["conversations"] as? Int == report.conversations)
    #expect(summary["changed"] as? Bool == true)
    #expect((summary["conversations"] as? [Any])?.count == 10)

    let rejects = try folder.contents(of: "rejects").split(separator: 10).map { try jsonObject(Array($0)) }
    #expect(rejects.count == report.refused)
    #expect(rejects.allSatisfy { $0["line"] is Int && $0["reason"] is String && $0["file"] as? String == Self.example })

    let again = try Shell.run(command, in: folder)
    let second = try again.summary()
    #expect(again.code == 0)
    #expect(second["changed"] as? Bool == false && second["hints"] as? Int == 0)
    #expect(try self.lines(second)["merged"] == report.lines - report.refused - (lines["events"] ?? 0))
    let unchanged = try store(second)
    for key in ["messages", "unread", "conversations", "revision", "contentHash"] {
      #expect("\(unchanged[key] ?? "")" == "\(totals[key] ?? 0)")
    }
    #expect("\(try await contentHash(folder.file("weir.sqlite")))" == totals["contentHash"] as? String)
  }

  @Test func `a disturbed delivery comes to the same content as a clean one`() async throws {
    var clean = roughSettings(messages: 1_500, seed: 8)
    let rough = clean
    (clean.duplicates, clean.reorder, clean.malformed) = (0, 0, 0)
    try generate(clean, to: "clean", in: folder)
    try generate(rough, to: "rough", in: folder)
    #expect(try Shell.run("weir replay clean -s a && cat rough | weir replay -s b", in: folder).code == 0)
    let (first, second) = try await (contentHash(folder.file("a")), contentHash(folder.file("b")))
    // Later copies tell more than the originals do, so only a reader that saw them too has the same content.
    #expect(try Shell.run("weir replay rough -s a && weir replay clean -s b", in: folder).code == 0)
    let (third, fourth) = try await (contentHash(folder.file("a")), contentHash(folder.file("b")))
    #expect(third == fourth && fourth == second && first != second)
  }

  @Test func `hints follow the commits, numbered without holes, before the summary`() async throws {
    try generate(roughSettings(messages: 800, seed: 3), to: "in", in: folder)
    let objects = try Shell.run("weir replay in --json", in: folder).objects()
    let hints = objects.dropLast()
    #expect(hints.allSatisfy { $0["type"] as? String == "hint" })
    #expect(hints.compactMap { $0["number"] as? Int } == Array(1...hints.count))
    let revisions = hints.compactMap { $0["revision"] as? Int }
    #expect(revisions == revisions.sorted())
    #expect(objects.last?["hints"] as? Int == hints.count)

    // The log in the store says the same.
    let store = try await SQLiteMessageStore.open(
      path: folder.file("weir.sqlite"), account: GeneratorSettings.defaultAccount)
    let log = try await store.changes(since: 0, limit: .max).value
    #expect(Set(revisions) == Set(log.changes.map { Int($0.revision) }))
    let places = Dictionary(
      hints.compactMap { hint in (hint["revision"] as? Int).map { ($0, hint["conversationID"] as? String ?? "") } },
      uniquingKeysWith: { first, _ in first })
    #expect(log.changes.allSatisfy { places[Int($0.revision)] == $0.conversationID })
    try await store.close()
  }

  @Test func `the summary for people says the same, and fits`() throws {
    let report = try generate(roughSettings(messages: 900, seed: 4), to: "in", in: folder)
    let result = try Shell.run("weir replay in --top 3 --no-hints", in: folder)
    #expect(result.code == 0 && result.errors == "")
    #expect(result.output.hasPrefix("\(Humane.count(report.lines)) lines, "))
    #expect(result.output.contains("weir.sqlite holds \(Humane.count(report.stored)) messages in "))
    #expect(result.output.contains("\n  in:"))
    #expect(result.output.contains("and \(report.conversations - 3) more; --all shows them"))
    let all = try Shell.run("weir replay in --all", in: folder).output
    #expect(all.contains("nothing has changed: the store held all of this already"))
    #expect(!all.contains("--all shows them"))
    for line in all.split(separator: "\n") where !line.hasPrefix("  in:") {
      #expect(DisplayWidth.of(String(line)) <= 80)
    }
  }

  /// The lines before the gap that the summary begins with.
  private func hints(_ output: String) -> [Substring] {
    Array(output.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") })
  }

  @Test func `people get a line for each event, and one for a commit that touched many conversations`() throws {
    try generate(GeneratorSettings(messages: 40, conversations: 3, seed: 21), to: "few", in: folder)
    let few = try Shell.run("weir replay few", in: folder)
    let lines = hints(few.output)
    #expect(lines.count >= 3 && lines.first?.hasPrefix("#1  r1  ") == true)
    #expect(lines.contains { $0.contains("  messageUpserted  ") && !$0.contains("syncApplied") })
    #expect(lines.indices.allSatisfy { lines[$0].hasPrefix("#\($0 + 1)  ") })
    #expect(few.output.split(separator: "\n", omittingEmptySubsequences: false)[lines.count] == "")
    #expect(try Shell.run("weir replay few --hints -s b", in: folder).code == 0)

    try generate(roughSettings(messages: 900, seed: 22), to: "many", in: folder)
    let json = try Shell.run("weir replay many -s c --json", in: folder).objects()
    let commits = try #require(json.last?["commits"] as? Int)
    let many = hints(try Shell.run("weir replay many -s d", in: folder).output)
    #expect(many.contains { $0.contains("syncApplied") })
    // Fewer lines than changes, by far.
    #expect(many.count < json.count / 2 && commits > 0)
    for line in many { #expect(DisplayWidth.of(String(line)) <= 100) }
  }

  @Test func `hints can be left out`() throws {
    try generate(GeneratorSettings(messages: 40, conversations: 3, seed: 21), to: "in", in: folder)
    let text = try Shell.run("weir replay in --no-hints", in: folder)
    #expect(text.code == 0 && hints(text.output).isEmpty && !text.output.contains("\n#"))
    let json = try Shell.run("weir replay in --no-hints --json -s b", in: folder)
    #expect(try json.objects().count == 1)
    let both = try Shell.run("weir replay in --no-hints --hints", in: folder)
    #expect(both.code == ExitCode.usage.rawValue && both.errors.contains("[usage.conflict]"))
  }

  @Test func `a line of several facts is stored whole, counted by kind, and changes nothing the second time`() throws {
    let settings = GeneratorSettings(messages: 60, conversations: 4, recalls: 0, seed: 23)
    try generate(settings, to: "in", in: folder)
    try folder.append(
      """
      [{"userID":"5000000001","msgIDList":["a","b"],"readTime":1718000000000,"sessionType":1},\
      {"userID":"5000000002","msgIDList":["c"],"readTime":1718000000001,"sessionType":1}]

      """, to: "in")
    let first = try Shell.run("weir replay in --json --hash", in: folder).summary()
    let facts = try #require(first["facts"] as? [String: Int])
    #expect(facts["read"] == 2 && facts.keys.allSatisfy { ["message", "read"].contains($0) })
    let counts = try lines(first)
    #expect(counts["more"] == 1 && counts["unsettled"] == 0 && counts["orphaned"] == 2)
    let second = try Shell.run("weir replay in --json --hash", in: folder).summary()
    #expect(second["changed"] as? Bool == false && second["facts"] as? [String: Int] == facts)
    #expect(try store(second)["contentHash"] as? String == store(first)["contentHash"] as? String)
    #expect(try lines(second)["unsettled"] == 0)
    let text = try Shell.run("weir replay in", in: folder).output
    #expect(text.contains(", 2 read marks; 1 of them beyond the first of their line\n"))
  }

  @Test func `strict ends with 65, and so does a file of which nothing could be used`() throws {
    try generate(roughSettings(messages: 300, seed: 5), to: "rough", in: folder)
    try folder.write("no\nmessage\n", to: "nothing")
    #expect(try Shell.run("weir replay rough", in: folder).code == 0)
    #expect(try Shell.run("weir replay rough --strict", in: folder).code == ExitCode.dataRefused.rawValue)
    #expect(try Shell.run("weir replay nothing", in: folder).code == ExitCode.dataRefused.rawValue)
    #expect(try Shell.run("weir replay nothing rough", in: folder).code == 0)
  }

  @Test func `a hook drops what the user does not want`() throws {
    try generate(GeneratorSettings(messages: 400, conversations: 5, seed: 6), to: "in", in: folder)
    let own = GeneratorSettings.defaultAccount
    let summary = try Shell.run("weir replay in --json --drop-sender \(own)", in: folder).summary()
    let dropped = try #require((summary["dropped"] as? [String: Int])?[SenderFilter.name])
    #expect(dropped > 0)
    let lines = try lines(summary)
    #expect(lines["dropped"] == dropped && lines["unsettled"] == 0)
  }

  @Test func `lines are paced`() throws {
    try generate(GeneratorSettings(messages: 300, seed: 7), to: "in", in: folder)
    let summary = try Shell.run("weir replay in --json --rate 500", in: folder).summary()
    let read = try #require(lines(summary)["read"])
    // Never faster than asked for; how much slower is the machine's affair.
    let seconds = try #require(summary["seconds"] as? Double)
    #expect(seconds >= Double(read - 1) / 500 - RatePacer.burst / .seconds(1))
  }

  @Test(arguments: [("INT", ExitCode.interrupted), ("TERM", ExitCode.terminated)])
  func `follows a file until it is asked to stop, then stores what it read`(signal: String, code: ExitCode) throws {
    let report = try generate(roughSettings(messages: 600, seed: 9), to: "all", in: folder)
    // The last line lacks its break: it is not a line yet.
    let half = report.lines / 2
    let result = try Shell.run(
      """
      head -n \(half) all > in; mkfifo hints; set -m
      "$WEIR" replay --follow --json in > hints & exec 3< hints
      read -r line <&3; tail -n +\(half + 1) all >> in; printf '{"half":' >> in
      { echo "$line"; while read -r line; do
        echo "$line"
        [[ $line == *'"number":40,'* ]] && kill -\(signal) %1
      done; } <&3; wait %1
      """, in: folder)
    #expect(result.code == code.rawValue)
    let summary = try result.summary()
    #expect(summary["stopped"] as? Bool == true)
    let lines = try lines(summary)
    #expect(lines["unsettled"] == 0)
    #expect(lines["read"] ?? 0 <= report.lines)
    let hints = try result.objects().dropLast().count
    #expect(hints >= 40 && summary["hints"] as? Int == hints)
  }

  @Test func `refused lines of a followed file are kept while it is still followed`() throws {
    let result = try Shell.run(
      """
      echo 'no message' > in; mkfifo rejects; set -m
      "$WEIR" replay --follow in --rejects rejects & read -r reject < rejects; kill -INT %1; wait %1; code=$?
      echo "$reject"; exit $code
      """, in: folder)
    #expect(result.code == ExitCode.interrupted.rawValue)
    let reject = try jsonObject(Array(try #require(result.output.split(separator: "\n").last).utf8))
    #expect(reject["text"] as? String == "no message" && reject["line"] as? Int == 1)
  }
}
