import Weir

struct Message: Sendable {
  let id: String, room: String, text: String
}

@main
struct QuickStart {
  nonisolated static func main() async throws {
    let pushed = (0..<600).map {
      Message(id: "m\($0)", room: "room \($0 % 3)", text: $0 % 200 == 7 ? "@me, lunch?" : "hi")
    }
    let pulled = (400..<1_000).map { Message(id: "m\($0)", room: "room \($0 % 3)", text: "from history") }

    let inbox = try Blueprint("inbox") { graph in
      let push = graph.source("push", pushed)
      let history = graph.source("history", pulled)
      let fresh = graph.merge("ingest", push, history).via("dedupe", Dedupe(by: \.id, remembering: 10_000))
      let fork = fresh.boundary("to-readers", limit: .elements(64)).broadcast("fan")
      fork.second.filter("mentions") { $0.text.contains("@me") }.sink("notify") { print("\($0.room): \($0.text)") }
      return fork.first.fold("count by room", [:]) { counts, message in counts[message.room, default: 0] += 1 }
    }

    print(inbox.describe())
    let (counts, seen) = try await inbox.run { live in
      await live.waitUntilEnded()
      return (try live[live.handles].value, live.snapshot())
    }
    for (room, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(room): \(count) messages") }
    for node in seen.nodes {
      let busy = (node.busy / .microseconds(1)).rounded() / 1_000
      print("\(node.name): \(node.elementsIn) in, \(node.elementsOut) out, busy \(busy) ms")
    }
  }
}
