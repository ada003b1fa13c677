import Weir
import WeirChat

/// A burst of hints into a hub of many readers, one of them stuck, beside a bounded AsyncStream for each reader, which
/// drops what it has no room for.
let hints = Family(
  name: "hints", title: "a burst of hints to 100 readers, one of them stuck",
  cases: [
    .timed("hub, 1 reader", count: 100_000, expecting: { $0 }) { try await burst($0, readers: 1) },
    .timed("hub, 100 readers", count: 100_000, expecting: { $0 }) { try await burst($0, readers: 100) },
    .timed("AsyncStream newest 64, 100 readers", count: 20_000, expecting: { $0 }) { await streams($0, readers: 100) },
    .timed("hub, 100 stuck readers", count: 100_000, expecting: { $0 }) { stuck($0, readers: 100, growth: nil) },
    .timed("hub, 100 stuck readers, distinct conversations", count: 100_000, expecting: { $0 }) {
      stuck($0, readers: 100, conversations: .max, growth: nil)
    },
  ],
  comparisons: [
    .speedup("hub, 100 readers", over: "AsyncStream newest 64, 100 readers"),
    // A hundred readers may cost what a hundred times one costs.
    .cost("hub, 100 readers", of: "hub, 1 reader", goal: 100),
    .cost("hub, 100 stuck readers", of: "hub, 100 readers"),
    .cost("hub, 100 stuck readers, distinct conversations", of: "hub, 100 stuck readers", goal: 1),
  ])

/// What the burst takes beyond its first tenth.
let hintMemory = Family(
  name: "hints-memory", title: "memory of a hub under a burst, resident pages",
  cases: [
    Case("growth over the burst, 100 readers", unit: .kibibytes, count: 100_000) { count in
      let growth = Growth(after: count / 10)
      _ = try await burst(count, readers: 100, growth: growth)
      return growth.kibibytes
    },
    Case("growth over the burst, 100 stuck readers", unit: .kibibytes, count: 100_000) { count in
      let growth = Growth(after: count / 10)
      _ = stuck(count, readers: 100, growth: growth)
      return growth.kibibytes
    },
  ],
  comparisons: [
    .reading("growth over the burst, 100 readers", goal: 1_024),
    .reading("growth over the burst, 100 stuck readers", goal: 1_024),
  ],
  rounds: 1)

/// Follows the resident memory from a certain hint on. Used by one task at a time.
private final class Growth {
  private let start: Int
  private var first: Double?
  private(set) var kibibytes = 0.0

  init(after start: Int) { self.start = start }

  func note(_ number: Int) {
    guard number >= start, number % 1_000 == 0, let now = try? ResidentMemory.kibibytes() else { return }
    let first = first ?? now
    self.first = first
    kibibytes = max(kibibytes, now - first)
  }
}

private func hint(_ number: Int, conversations: Int = 500) -> ChatEvent {
  ChatEvent(
    ProjectionChange(
      kind: .known(.messageUpserted), projectionRevision: Int64(number), affectedCount: 1,
      conversationID: "sg_30271488\(number % conversations)", clientMessageID: "0f3c1b2a4d5e6f708192a3b4\(number)"))
}

/// - Returns: the hints that each reader heard of, the stuck one included, which reads only at the end.
private func burst(_ count: Int, readers: Int, growth: Growth? = nil) async throws -> Int {
  let hub = EventHub()
  let stuck = hub.subscribe(limit: 64)
  let heard = await withTaskGroup(of: Int.self) { group in
    for _ in 1..<max(readers, 2) {
      let reader = hub.subscribe(limit: 64)
      group.addTask {
        var covered = 0
        for await envelope in reader { covered += envelope.covers }
        return covered
      }
    }
    for number in 1...count {
      hub.publish(hint(number))
      growth?.note(number)
    }
    hub.close()
    return await group.reduce(into: []) { $0.append($1) }
  }
  let late = stuck.takePending().reduce(0) { $0 + $1.covers }
  return heard.allSatisfy { $0 == count } ? late : 0
}

/// - Returns: the hints that each reader hears of in the end.
private func stuck(_ count: Int, readers: Int, conversations: Int = 500, growth: Growth?) -> Int {
  let hub = EventHub()
  let all = (0..<readers).map { _ in hub.subscribe(limit: 64) }
  for number in 1...count {
    hub.publish(hint(number, conversations: conversations))
    growth?.note(number)
  }
  let heard = all.map { $0.takePending().reduce(0) { $0 + $1.covers } }
  return heard.allSatisfy { $0 == count } ? count : 0
}

/// - Returns: the hints that were sent; how many a reader gets depends on its speed.
private func streams(_ count: Int, readers: Int) async -> Int {
  let streams = (0..<readers).map { _ in
    AsyncStream.makeStream(of: ChatEvent.self, bufferingPolicy: .bufferingNewest(64))
  }
  return await withTaskGroup(of: Void.self) { group in
    for reader in streams.dropFirst() {
      group.addTask { for await _ in reader.stream {} }
    }
    for number in 1...count {
      let event = hint(number)
      for reader in streams { reader.continuation.yield(event) }
    }
    for reader in streams { reader.continuation.finish() }
    await group.waitForAll()
    return count
  }
}
