import Foundation
import Testing
import WeirChat
import WeirStore

@testable import WeirCommandKit

@Suite struct `Searching a store` {
  let folder: TemporaryFolder
  let store: InspectedStore

  init() async throws {
    folder = try TemporaryFolder()
    store = try await InspectedStore(
      folder,
      facts: InspectedStore.facts + [
        InspectedStore.message("both", seq: 2_001, text: "👍🏽 Zebra 红色 stripes"),
        InspectedStore.message("word", seq: 2_002, text: "a zebra"),
        InspectedStore.message("quoted", seq: 2_003, text: "stripes, zebra"),
      ])
  }

  private func search(_ arguments: String) throws -> Shell.Result {
    try Shell.run("weir search s \(arguments)", in: folder)
  }

  private func hits(_ arguments: String) throws -> [[String: Any]] {
    let result = try search("\(arguments) --json")
    try #require(result.code == 0, "\(result.errors)")
    let answer = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    return try #require(answer?["hits"] as? [[String: Any]])
  }

  @Test func `finds the same with an index and without, and says where`() async throws {
    for round in 0..<2 {
      if round == 1 {
        let replay = try Shell.run("weir replay in --store s --no-hints --search", in: folder)
        #expect(replay.code == 0)
        let real = try await SQLiteMessageStore.open(path: folder.file("s"), account: InspectedStore.account)
        #expect(try await real.searchProgress().value?.isComplete == true)
        try await real.close()
      }
      #expect(try hits("zebra").map { $0["clientMsgID"] as? String } == ["quoted", "word", "both"])
      #expect(try hits("zebra -n 1").map { $0["clientMsgID"] as? String } == ["quoted"])
      #expect(try hits("stripes zeb").map { $0["clientMsgID"] as? String } == ["quoted", "both"])
      #expect(try hits("'\"stripes zebra\"'").map { $0["clientMsgID"] as? String } == ["quoted"])
      #expect(try hits("红色 -c \(InspectedStore.group)").map { $0["clientMsgID"] as? String } == ["both", "wide"])
      #expect(try hits("worse").isEmpty && hits("zebra --sender nobody").isEmpty)
      let both = try #require(try hits("红色 stripes zebra").first)
      #expect(both["text"] as? String == "👍🏽 Zebra 红色 stripes")
      #expect(both["matches"] as? [[Int]] == [[5, 10], [11, 13], [14, 21]])
    }
  }

  @Test func `prints a table that no message text can break, and tells what there is no answer to`() throws {
    let table = try search("文字")
    #expect(table.code == 0 && table.output.contains("wide"))
    #expect(!table.output.contains("\u{1B}") && !table.output.contains("\u{202E}"))
    #expect(try search("zebra -n 2").output.contains("and more; --limit N shows more"))
    let none = try search("'!?'")
    #expect(none.code == 0 && none.output == "no message is found\n")
    let unknown = try search("zebra -c nowhere")
    #expect(unknown.code == ExitCode.noInput.rawValue && unknown.errors.contains("[inspect.unknown-conversation]"))
    #expect(try search("").code == ExitCode.usage.rawValue)
    #expect(try Shell.run("weir search missing zebra", in: folder).code == ExitCode.noInput.rawValue)
    let long = try search(String(repeating: "z", count: 5_000))
    #expect(long.code == ExitCode.usage.rawValue && long.errors.contains("[store.invalid-input]"))
  }
}
