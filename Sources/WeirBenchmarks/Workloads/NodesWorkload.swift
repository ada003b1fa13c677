import Weir

/// Six separate nodes in one task, and what the always-on tracing of them costs.
let nodes = Family(
  name: "nodes", title: "the chain as six nodes of one task, traced",
  cases: [
    .timed("plain loop", count: 4_000_000) { Arithmetic.sumOfSix($0) },
    .timed("stdlib async chain", count: 200_000, expecting: Arithmetic.sumOfSix) { await stdlibChain($0) },
    .timed("six chunk loops, chunk 64", count: 4_000_000, expecting: Arithmetic.sumOfSix) { chunkLoops($0, chunk: 64) },
    .timed("six chunk loops, chunk 256", count: 4_000_000, expecting: Arithmetic.sumOfSix) {
      chunkLoops($0, chunk: 256)
    },
  ]
    + [16, 64, 256, 1024].flatMap { size -> [Case] in
      [
        .timed("six nodes, chunk \(size)", count: 4_000_000, expecting: Arithmetic.sumOfSix) { count in
          try await sum(RunOptions(chunkSize: size)) { $0.source("numbers", 0..<count).sixNodes() }
        },
        // A clock that stands still: what remains of the tracing is the counters.
        .timed("six nodes without a clock, chunk \(size)", count: 4_000_000, expecting: Arithmetic.sumOfSix) { count in
          let stopped = TraceClock(nanoseconds: { 1 })
          return try await sum(RunOptions(trace: stopped, chunkSize: size)) {
            $0.source("numbers", 0..<count).sixNodes()
          }
        },
      ]
    },
  comparisons: [
    .speedup("six nodes, chunk 64", over: "stdlib async chain"),
    .speedup("six nodes, chunk 256", over: "stdlib async chain"),
    .cost("six nodes, chunk 16", of: "plain loop"),
    .cost("six nodes, chunk 64", of: "plain loop"),
    .cost("six nodes, chunk 256", of: "plain loop"),
    .cost("six nodes, chunk 1024", of: "plain loop"),
    // Source, six stages and sink are eight nodes, each with one clock read a chunk.
    .added("six nodes, chunk 64", to: "six nodes without a clock, chunk 64", parts: 8, goal: 0.5),
    .added("six nodes, chunk 256", to: "six nodes without a clock, chunk 256", parts: 8, goal: 0.5),
    // Everything the graph does beyond the loops: pulls, counters, clocks.
    .added("six nodes, chunk 64", to: "six chunk loops, chunk 64", parts: 8),
    .added("six nodes, chunk 256", to: "six chunk loops, chunk 256", parts: 8),
  ])

/// The same six stages over arrays, written by hand: no graph, no task, no counters, no clock.
private func chunkLoops(_ count: Int, chunk size: Int) -> Int {
  var (scale, keep, fold, shift, want, mix) = (Scale(), Keep(), Fold(), Shift(), Want(), Mix())
  var first: [Int] = []
  var second: [Int] = []
  var sum = 0
  for start in stride(from: 0, to: count, by: size) {
    first.append(contentsOf: start..<Swift.min(count, start + size))
    pass(&scale, &first, &second)
    pass(&keep, &second, &first)
    pass(&fold, &first, &second)
    pass(&shift, &second, &first)
    pass(&want, &first, &second)
    pass(&mix, &second, &first)
    for element in first { sum &+= element }
    first.removeAll(keepingCapacity: true)
  }
  return sum
}

private func pass<S: Stage>(_ stage: inout S, _ input: inout [S.Input], _ output: inout [S.Output])
where S.Failure == Never {
  for element in input { stage.process(element) { output.append($0) } }
  input.removeAll(keepingCapacity: true)
}
