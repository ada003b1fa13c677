import Foundation
import Testing
import WeirChat
import WeirStore

@testable import WeirCommandKit

@Suite struct `Looking into a store` {
  let folder: TemporaryFolder
  let store: InspectedStore

  init() async throws {
    folder = try TemporaryFolder()
    store = try await InspectedStore(folder)
  }

  @Test func `names the store and lists its conversations as the store itself does`() async throws {
    let answer = try store.json("--limit 100")
    let listed = try #require(answer["conversations"] as? [[String: Any]])
    let head = try #require(answer["store"] as? [String: Any])
    let real = try await SQLiteMessageStore.open(path: folder.file("s"), account: InspectedStore.account)
    let (conversations, totals) = try await (real.conversations(limit: 100), real.totals())
    try await real.close()
    #expect(listed.map { $0["conversationID"] as? String } == conversations.value.map(\.conversationID))
    #expect(listed.map { $0["unread"] as? Int } == conversations.value.map(\.unread))
    #expect(head["account"] as? String == InspectedStore.account && head["format"] as? Int == 4)
    #expect(head["revision"] as? Int64 == totals.revision && head["messages"] as? Int == totals.value.messages)
    #expect(head["id"] as? String == real.identity.map { String(format: "%02x", $0) }.joined())

    let group = try #require(conversations.value.first { $0.conversationID == InspectedStore.group })
    #expect(group.unfetched > 0 && listed.first?["isPinned"] as? Bool == true)
    let text = try store.text("--limit 1")
    let range = "\(group.unread)–\(Int64(group.unread) + group.unfetched)"
    #expect(text.contains(range) && text.contains("[pinned] "))
    #expect(text.contains("and \(conversations.value.count - 1) more; --limit N shows more"))
  }

  @Test func `prints a timeline in pages that meet`() async throws {
    let whole = try #require(try store.json("-c \(InspectedStore.group) -n 100")["timeline"] as? [String: Any])
    let ids = try #require(whole["messages"] as? [[String: Any]]).compactMap { $0["clientMsgID"] as? String }
    #expect(ids == ["unsent", "mine", "wide", "twin", "recalled", "edited"])
    #expect(whole["hasMore"] as? Bool == false)
    var paged: [String] = []
    var option = ""
    repeat {
      let page = try #require(try store.json("-c \(InspectedStore.group) -n 2 \(option)")["timeline"] as? [String: Any])
      let part = try #require(page["messages"] as? [[String: Any]]).compactMap { $0["clientMsgID"] as? String }
      paged += part
      option = page["hasMore"] as? Bool == true ? "--before \(part.last ?? "")" : ""
    } while !option.isEmpty && paged.count < 100
    #expect(paged == ids)
    #expect(try store.text("-c \(InspectedStore.group) -n 2").contains("older ones: --before mine\n"))
  }

  @Test func `a recalled message names its recall and who did it`() throws {
    let row = try store.explanation("recalled")
    #expect((row["message"] as? [String: Any])?["state"] as? String == "recalled")
    let recall = try #require((row["recalls"] as? [[String: Any]])?.first)
    #expect(recall["revokerID"] as? String == "boss" && recall["covers"] as? Bool == true)
    let text = try store.text("-m recalled")
    #expect(text.contains("shows     recalled: a recall names it, and the server has it"))
    #expect(text.contains("recalled by boss at 2025-06-15 15:21:40.000, role 100, as administrator, naming seq 2"))
    #expect(!text.contains("hello"))
  }

  @Test func `a twin names its seqs, and a recall that came by one of them`() throws {
    let row = try store.explanation("twin")
    #expect((row["message"] as? [String: Any])?["seq"] as? Int == 3)
    #expect(row["otherSeqs"] as? [Int] == [9])
    #expect((row["bySeq"] as? [[String: Any]])?.first?["seq"] as? Int == 9)
    let text = try store.text("-m twin")
    #expect(text.contains("the server gave it further seqs: 9") && text.contains("; told by seq\n"))
    #expect(text.contains("told of seq 9: recalled by boss"))
  }

  @Test func `edits, deletions, readings and sendings are told in words`() throws {
    #expect(try store.text("-m edited").contains("edited by editor at 2025-06-15 15:06:40.002, version 2"))
    #expect(try store.text("-m edited").contains("reads: better"))
    #expect(try store.text("-m edited").contains("so the account has read it"))
    #expect(try store.text("-m wide").contains("the account has not read it, only up to seq 2"))
    let deleted = try store.text("-m deleted -c \(InspectedStore.group)")
    #expect(deleted.contains("hidden: in no list, because it was deleted for everybody"))
    #expect(try store.explanation("deleted")["hiddenReasons"] as? [String] == ["deletedForAll"])
    let unsent = try store.text("-m unsent")
    #expect(unsent.contains("failed: the latest attempt was given up") && unsent.contains("attempt 2: failed"))
    #expect(unsent.contains("stands provisionally at "))
  }

  @Test func `a message that has not come tells what waits for it`() throws {
    let early = try store.json("-m early")
    #expect((early["messages"] as? [Any])?.isEmpty == true)
    #expect(
      ((early["waiting"] as? [[String: Any]])?.first?["recall"] as? [String: Any])?["revokerID"] as? String == "boss")
    #expect(try store.text("-m unseen").contains("message unseen in sg_777 has not come\n  waiting   read by peer at "))
  }

  @Test func `gaps are those of the store, by conversation`() throws {
    let answer = try store.json("--gaps -c \(InspectedStore.group)")
    let gaps = try #require((answer["gaps"] as? [[String: Any]])?.first)
    #expect(gaps["intervals"] as? [[Int]] == [[5, 5], [7, 8], [1_991, 1_999], [2_001, 2_003]])
    #expect(gaps["missing"] as? Int == 15)
    let text = try store.text("--gaps")
    #expect(text.contains("5, 7–8, 1991–1999, 2001–2003"))
    #expect(
      try store.text("--gaps -n 2 -c \(InspectedStore.group)").contains("and 2 more intervals; --limit N shows more"))
  }

  @Test func `orphans are what waits for messages, wherever`() throws {
    let all = try #require(try store.json("--orphans -n 1000")["orphans"] as? [[String: Any]])
    let names = all.map { $0["clientMsgID"] as? String ?? "seq \($0["seq"] ?? 0)" }
    #expect(Set(["early", "nowhere", "unseen", "seq 1995"]).isSubset(of: Set(names)))
    #expect(Set(names).isDisjoint(with: ["recalled", "seq 9", "seq 6", "edited"]))
    let here = try #require(try store.json("--orphans -c \(InspectedStore.group)")["orphans"] as? [[String: Any]])
    #expect(here.count == 3)
    let text = try store.text("--orphans -n 1000")
    #expect(text.contains("(any)") && text.contains("recalled by boss"))
    #expect(try store.text("--orphans -n 1").contains("and more; --limit N shows more"))
  }

  @Test func `nothing printed can move the cursor or turn the text`() throws {
    for options in ["", "-c \(InspectedStore.group)", "-m wide", "--json -m wide", "--orphans", "--gaps"] {
      let text = try store.text(options)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F })
      if !options.contains("json") { #expect(!text.unicodeScalars.contains("\u{202E}")) }
    }
    #expect(try store.text("-m wide").contains("红色"))
    for line in try store.text("-c \(InspectedStore.group)").split(separator: "\n").dropFirst(1) {
      #expect(DisplayWidth.of(String(line)) <= 100)
    }
  }
}
