import Weir

/// Three operators, a change of task, three operators.
let pipe = Family(
  name: "pipe", title: "map, filter, map → another task → map, filter, map",
  cases: [
    .timed("stdlib operators and AsyncStream", count: 50_000, expecting: Arithmetic.sumOfSix) { await stdlibPipe($0) },
    .timed("graph", count: 2_000_000, expecting: Arithmetic.sumOfSix) { count in
      try await sum { $0.source("numbers", 0..<count).firstThree().boundary("hop").lastThree() }
    },
    .timed("graph, chunk 64, limit 1024", count: 2_000_000, expecting: Arithmetic.sumOfSix) { count in
      try await sum(RunOptions(chunkSize: 64)) {
        $0.source("numbers", 0..<count).firstThree().boundary("hop", limit: .elements(1024)).lastThree()
      }
    },
    .timed("graph, limit 1024", count: 2_000_000, expecting: Arithmetic.sumOfSix) { count in
      try await sum {
        $0.source("numbers", 0..<count).firstThree().boundary("hop", limit: .elements(1024)).lastThree()
      }
    },
    .timed("graph fed element by element", count: 1_000_000, expecting: Arithmetic.sumOfSix) { count in
      try await sum {
        $0.source("numbers", Counter(count: count)).firstThree().boundary("hop").lastThree()
      }
    },
  ],
  comparisons: [
    .speedup("graph", over: "stdlib operators and AsyncStream", goal: 50),
    .speedup("graph, chunk 64, limit 1024", over: "stdlib operators and AsyncStream", goal: 50),
    .speedup("graph, limit 1024", over: "stdlib operators and AsyncStream", goal: 50),
    .speedup("graph fed element by element", over: "stdlib operators and AsyncStream", goal: 50),
  ])

private func stdlibPipe(_ count: Int) async -> Int {
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
  return await withTaskGroup(of: Int.self) { group in
    group.addTask {
      let chain = Counter(count: count)
        .map { Arithmetic.scale($0) }
        .filter { Arithmetic.isKept($0) }
        .map { Arithmetic.fold($0) }
      for await value in chain { continuation.yield(value) }
      continuation.finish()
      return 0
    }
    group.addTask {
      var sum = 0
      let chain =
        stream
        .map { Arithmetic.shift($0) }
        .filter { Arithmetic.isWanted($0) }
        .map { Arithmetic.mix($0) }
      for await value in chain { sum &+= value }
      return sum
    }
    return await group.reduce(0, &+)
  }
}
