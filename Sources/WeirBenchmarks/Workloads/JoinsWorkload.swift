import Weir

/// Several inputs or outputs, against one hop of the same graph machinery and against AsyncStream.
let joins = Family(
  name: "joins", title: "merge, zip, combineLatest, broadcast",
  cases: [
    .timed("hop", count: 2_000_000, expecting: Arithmetic.sum) { count in
      try await sum { $0.source("numbers", 0..<count).boundary("hop") }
    },
    .timed("merge of 2", count: 2_000_000, expecting: Arithmetic.sum) { count in
      try await sum { graph in
        graph.merge("merge", graph.source("low", 0..<count / 2), graph.source("high", count / 2..<count))
      }
    },
    .timed("AsyncStream, 2 producers", count: 100_000, expecting: Arithmetic.sum) {
      await streamHop($0, producers: 2)
    },
    .timed("zip", count: 1_000_000, expecting: { 2 * Arithmetic.sum($0) }) { count in
      try await sum { graph in
        let first = graph.source("first", 0..<count).boundary("first hop")
        let second = graph.source("second", 0..<count).boundary("second hop")
        return graph.zip("zip", first, second).map("add") { $0.0 &+ $0.1 }
      }
    },
    .timed("zip in one task", count: 2_000_000, expecting: { 2 * Arithmetic.sum($0) }) { count in
      try await sum { graph in
        graph.zip("zip", graph.source("first", 0..<count), graph.source("second", 0..<count))
          .map("add") { $0.0 &+ $0.1 }
      }
    },
    .timed("AsyncStream, zip", count: 50_000, expecting: { 2 * Arithmetic.sum($0) }) { await streamZip($0) },
    .timed("combineLatest", count: 1_000_000) { count in
      try await sum { graph in
        graph.combineLatest("latest", graph.source("first", 0..<count / 2), graph.source("second", 0..<count / 2))
          .map("add") { $0.0 &+ $0.1 }
      }
    },
    .timed("broadcast to 2", count: 1_000_000, expecting: { 2 * Arithmetic.sum($0) }) { try await broadcast($0, 2) },
    .timed("broadcast to 4", count: 1_000_000, expecting: { 4 * Arithmetic.sum($0) }) { try await broadcast($0, 4) },
    .timed("AsyncStream, 2 consumers", count: 50_000, expecting: { 2 * Arithmetic.sum($0) }) {
      await streamBroadcast($0, 2)
    },
    .timed("AsyncStream, 4 consumers", count: 25_000, expecting: { 4 * Arithmetic.sum($0) }) {
      await streamBroadcast($0, 4)
    },
  ],
  comparisons: [
    .cost("merge of 2", of: "hop", goal: 10),
    .cost("zip", of: "hop", goal: 10),
    .cost("zip in one task", of: "hop", goal: 10),
    .cost("combineLatest", of: "hop", goal: 10),
    .cost("broadcast to 2", of: "hop", goal: 10),
    .cost("broadcast to 4", of: "hop", goal: 10),
    .speedup("merge of 2", over: "AsyncStream, 2 producers", goal: 40),
    .speedup("zip", over: "AsyncStream, zip", goal: 50),
    .speedup("combineLatest", over: "AsyncStream, 2 producers", goal: 40),
    .speedup("broadcast to 2", over: "AsyncStream, 2 consumers", goal: 50),
    .speedup("broadcast to 4", over: "AsyncStream, 4 consumers", goal: 50),
  ])

private func broadcast(_ count: Int, _ legs: Int) async throws -> Int {
  try await sumOfLegs { graph in
    var sums: [Handle<RunResult<Int>>] = []
    graph.source("numbers", 0..<count).broadcast("fan", legs: (0..<legs).map { Leg("\($0)") }) { leg, outlet in
      sums.append(outlet.fold("sum \(leg)", 0) { $0 &+= $1 })
    }
    return sums
  }
}

private func streamZip(_ count: Int) async -> Int {
  let (first, firstEnd) = AsyncStream.makeStream(of: Int.self)
  let (second, secondEnd) = AsyncStream.makeStream(of: Int.self)
  return await withTaskGroup(of: Int.self) { group in
    for end in [firstEnd, secondEnd] {
      group.addTask {
        for value in 0..<count { end.yield(value) }
        end.finish()
        return 0
      }
    }
    group.addTask {
      var (one, other) = (first.makeAsyncIterator(), second.makeAsyncIterator())
      var sum = 0
      while let left = await one.next(), let right = await other.next() { sum &+= left &+ right }
      return sum
    }
    return await group.reduce(0, &+)
  }
}

private func streamBroadcast(_ count: Int, _ consumers: Int) async -> Int {
  let streams = (0..<consumers).map { _ in AsyncStream.makeStream(of: Int.self) }
  return await withTaskGroup(of: Int.self) { group in
    group.addTask {
      for value in 0..<count { for stream in streams { stream.continuation.yield(value) } }
      for stream in streams { stream.continuation.finish() }
      return 0
    }
    for stream in streams {
      group.addTask {
        var sum = 0
        for await value in stream.stream { sum &+= value }
        return sum
      }
    }
    return await group.reduce(0, &+)
  }
}
