import Testing
import Weir

@Suite struct ConflateTests {
  @Test func `upstream never waits and nothing is lost that combining keeps`() async throws {
    let (gate, opened) = AsyncStream.makeStream(of: Void.self)
    let sent = AskCounter()
    let blueprint = try Blueprint("conflate") { graph in
      graph.source("numbers", 0..<10_000).inspect("sent") { _ in
        sent.add()
        if sent.count == 10_000 { opened.finish() }
      }
      .map("pair") { [$0] }
      .conflate("combine") { $0 + $1 }
      .sink("slow", async: { _ in for await _ in gate {} })
    }
    let snapshot = try await blueprint.run { live in
      await live.waitUntilEnded()
      return live.snapshot()
    }
    #expect(sent.count == 10_000)
    let link = try #require(snapshot.links.first { $0.name == "combine" })
    #expect(link.counters.conflated > 0)
    #expect(link.counters.delivered + link.counters.conflated == 10_000)
  }

  @Test func `combined elements arrive complete and in order`() async throws {
    let blueprint = try Blueprint("sum") { graph in
      graph.source("numbers", 0..<5_000).map("list") { [$0] }.conflate("combine") { $0 + $1 }
        .unbatch("apart").collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all == Array(0..<5_000))
  }
}
