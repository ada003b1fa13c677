import Weir

/// Work divided among several tasks.
let parallel = Family(
  name: "parallel", title: "lanes, balance, asynchronous stages",
  cases: [
    .timed("hop", count: 2_000_000, expecting: Arithmetic.sum) { count in
      try await sum { $0.source("numbers", 0..<count).boundary("hop") }
    },
    .timed("balance among 2", count: 1_000_000, expecting: Arithmetic.sum) { try await balance($0, atOnce: 16) },
    .timed("balance among 2, 64 at once", count: 1_000_000, expecting: Arithmetic.sum) {
      try await balance($0, atOnce: 64)
    },
    .timed("route to 2", count: 1_000_000, expecting: Arithmetic.sum) { try await route($0) },
    .timed("2 lanes by text key", count: 500_000, expecting: Arithmetic.sum) { count in
      let keys = ["general", "random", "swift", "weir"]
      return try await sum { graph in
        graph.source("numbers", 0..<count).lanes("lanes", 2, by: { keys[$0 & 3] }) { lane, outlet in
          outlet.map("lane \(lane)") { (value: Int) in value }
        }
      }
    },
    .timed("await a function", unit: .perCall, count: 1_000_000, expecting: Arithmetic.sum) { count in
      var sum = 0
      for value in 0..<count { sum &+= await echo(value) }
      return sum
    },
    .timed("AsyncStage, serial", unit: .perCall, count: 200_000, expecting: Arithmetic.sum) {
      try await stage($0, .serial)
    },
    .timed("AsyncStage, ordered 4", unit: .perCall, count: 100_000, expecting: Arithmetic.sum) {
      try await stage($0, .ordered(4))
    },
    .timed("AsyncStage, unordered 4", unit: .perCall, count: 100_000, expecting: Arithmetic.sum) {
      try await stage($0, .unordered(4))
    },
    .timed("AsyncStage, lanes 4", unit: .perCall, count: 100_000, expecting: Arithmetic.sum) {
      try await stage($0, .lanes(4, by: { UInt64(truncatingIfNeeded: $0) }))
    },
    .timed("AsyncStream and async map", unit: .perCall, count: 50_000, expecting: Arithmetic.sum) { count in
      await streamMap(count)
    },
    .timed("stdlib async map", unit: .perCall, count: 200_000, expecting: Arithmetic.sum) { count in
      var sum = 0
      for await value in Counter(count: count).map({ await echo($0) }) { sum &+= value }
      return sum
    },
    .timed("task group, 4 under way", unit: .perCall, count: 100_000, expecting: Arithmetic.sum) { await tasks($0) },
  ],
  comparisons: [
    .cost("balance among 2", of: "hop", goal: 10),
    .cost("balance among 2, 64 at once", of: "hop", goal: 10),
    .cost("route to 2", of: "hop", goal: 10),
    .cost("2 lanes by text key", of: "hop"),
    .cost("AsyncStage, serial", of: "stdlib async map"),
    // A stage has a task of its own and a bounded link behind it, as a stream has.
    .speedup("AsyncStage, serial", over: "AsyncStream and async map", goal: 1),
    .speedup("AsyncStage, ordered 4", over: "task group, 4 under way", goal: 1),
    .speedup("AsyncStage, unordered 4", over: "task group, 4 under way", goal: 1),
    .speedup("AsyncStage, lanes 4", over: "task group, 4 under way", goal: 1),
  ])

private struct Echo: AsyncStage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async { emit(await echo(element)) }
}

/// Suspends nowhere: what is measured is the way to the call and back.
@inline(never)
@concurrent
private func echo(_ value: Int) async -> Int { value }

private func stage(_ count: Int, _ parallelism: Parallelism<Int>) async throws -> Int {
  try await sum { $0.source("numbers", 0..<count).via("echo", Echo(), parallel: parallelism) }
}

private func streamMap(_ count: Int) async -> Int {
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
  return await withTaskGroup(of: Int.self) { group in
    group.addTask {
      for await value in Counter(count: count).map({ await echo($0) }) { continuation.yield(value) }
      continuation.finish()
      return 0
    }
    group.addTask {
      var sum = 0
      for await value in stream { sum &+= value }
      return sum
    }
    return await group.reduce(0, &+)
  }
}

private func tasks(_ count: Int) async -> Int {
  await withTaskGroup(of: Int.self) { group in
    var sum = 0
    for value in 0..<count {
      if value >= 4 { sum &+= await group.next() ?? 0 }
      group.addTask { await echo(value) }
    }
    return await group.reduce(sum, &+)
  }
}

private func balance(_ count: Int, atOnce: Int) async throws -> Int {
  try await sumOfLegs { graph in
    var sums: [Handle<RunResult<Int>>] = []
    graph.source("numbers", 0..<count).balance("balance", legs: 2, atOnce: atOnce) { leg, outlet in
      sums.append(outlet.fold("sum \(leg)", 0) { $0 &+= $1 })
    }
    return sums
  }
}

private func route(_ count: Int) async throws -> Int {
  try await sumOfLegs { graph in
    var sums: [Handle<RunResult<Int>>] = []
    graph.source("numbers", 0..<count).route("route", [0, 1], by: { $0 & 1 }) { leg, outlet in
      sums.append(outlet.fold("sum \(leg)", 0) { $0 &+= $1 })
    }
    return sums
  }
}
