import WeirChat
import WeirStore

/// How much slower a store takes in facts while 16 pages are kept up to date from it: fourteen busy conversations, the list
/// of conversations and the totals, each asked for anew at most once a frame.
let observed = Family(
  name: "store-observed", title: "facts to rows beside 16 live observed queries",
  cases: [
    Case("written unobserved", unit: .perElement, count: 100_000) { try await observedWrite($0, pages: 0) },
    Case("written beside 16 pages", unit: .perElement, count: 100_000) { try await observedWrite($0, pages: 14) },
  ],
  comparisons: [.speedup("written beside 16 pages", over: "written unobserved", goal: 0.7)])

/// Nanoseconds for each of `count` facts.
private func observedWrite(_ count: Int, pages: Int) async throws -> Double {
  try await StoreFiles.with(.store, count: count < 50_000 ? 10_000 : 100_000) { directory, load in
    let facts = load.next(count)
    let store = try await openStore(directory, isFull: false)
    let hub = EventHub()
    let watching = pages > 0 ? watch(store, hub, pages) : []
    let spent = try await Spent {
      var emitter = InvalidationEmitter()
      for start in stride(from: 0, to: facts.count, by: 256) {
        let result = try await store.apply(Array(facts[start..<min(start + 256, facts.count)]))
        emitter.process(result) { hub.publish($0) }
      }
    }
    // Every page must come to show the last commit that touches it, else nothing was kept up to date.
    hub.close()
    var answers = 0
    for task in watching { answers += try await task.value }
    try await store.close()
    guard answers >= watching.count else { throw BenchmarkError.peer("a page gave no answer") }
    return spent.wall / Double(count)
  }
}

/// Tasks that follow the newest messages of conversations, the list and the totals until the hub is closed; each gives the
/// number of its answers.
private func watch(_ store: SQLiteMessageStore, _ hub: EventHub, _ pages: Int) -> [Task<Int, any Error>] {
  var tasks = (0..<pages).map { place in
    Task.detached { try await count(store.observedMessages(in: StoreLoad.conversation(place), through: hub)) }
  }
  tasks.append(Task.detached { try await count(store.observedConversations(through: hub)) })
  tasks.append(Task.detached { try await count(store.observedTotals(through: hub)) })
  return tasks
}

private func count<Value>(_ query: ObservedQuery<Value, StoreError>) async throws -> Int {
  var answers = 0
  for try await _ in query { answers += 1 }
  return answers
}
