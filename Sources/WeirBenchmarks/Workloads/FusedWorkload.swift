import Weir

/// Six and twelve operators in one segment.
let fused = Family(
  name: "fused", title: "map, filter, map, map, filter, map in one task",
  cases: [
    .timed("plain loop", count: 4_000_000) { Arithmetic.sumOfSix($0) },
    .timed("stdlib async chain", count: 200_000, expecting: Arithmetic.sumOfSix) { await stdlibChain($0) },
    .timed("Fused by via", count: 4_000_000, expecting: Arithmetic.sumOfSix) { try await nominalChain($0) },
    .timed("Fused operators by via", count: 4_000_000, expecting: Arithmetic.sumOfSix) { try await operatorChain($0) },
    .timed("Fused in a graph", count: 4_000_000, expecting: Arithmetic.sumOfSix) { count in
      try await sum { $0.source("numbers", 0..<count).six("six") }
    },
    .timed("Fused in a graph, chunk 64", count: 4_000_000, expecting: Arithmetic.sumOfSix) { count in
      try await sum(RunOptions(chunkSize: 64)) { $0.source("numbers", 0..<count).six("six") }
    },
    .timed("Fused operators in a graph", count: 4_000_000, expecting: Arithmetic.sumOfSix) { count in
      try await sum { $0.source("numbers", 0..<count).sixOperators("six") }
    },
    .timed("Fused twelve in a graph", count: 2_000_000, expecting: Arithmetic.sumOfTwelve) { count in
      try await sum { $0.source("numbers", 0..<count).twelve("twelve") }
    },
    .timed("two Fused sixes in a graph", count: 2_000_000, expecting: Arithmetic.sumOfTwelve) { count in
      try await sum { $0.source("numbers", 0..<count).six("first").six("second") }
    },
  ],
  comparisons: [
    .speedup("Fused by via", over: "stdlib async chain", goal: 100),
    .speedup("Fused operators by via", over: "stdlib async chain", goal: 100),
    .speedup("Fused in a graph", over: "stdlib async chain", goal: 100),
    .speedup("Fused operators in a graph", over: "stdlib async chain", goal: 100),
    .cost("Fused by via", of: "plain loop", goal: 5),
    .cost("Fused in a graph", of: "plain loop", goal: 5),
    .cost("Fused in a graph, chunk 64", of: "plain loop"),
    .cost("Fused operators in a graph", of: "plain loop", goal: 5),
    .cost("Fused twelve in a graph", of: "Fused in a graph", goal: 3),
    .cost("two Fused sixes in a graph", of: "Fused in a graph", goal: 3),
  ])

private func nominalChain(_ count: Int) async throws -> Int {
  let chain = try Counter(count: count).via(
    Fused {
      Scale()
      Keep()
      Fold()
      Shift()
      Want()
      Mix()
    })
  var sum = 0
  for await value in chain { sum &+= value }
  return sum
}

private func operatorChain(_ count: Int) async throws -> Int {
  let chain = try Counter(count: count).via(
    Fused {
      Map { Arithmetic.scale($0) }
      Filter { Arithmetic.isKept($0) }
      Map { Arithmetic.fold($0) }
      Map { Arithmetic.shift($0) }
      Filter { Arithmetic.isWanted($0) }
      Map { Arithmetic.mix($0) }
    })
  var sum = 0
  for await value in chain { sum &+= value }
  return sum
}

extension Outlet where Element == Int {
  /// The chain of six written with closures.
  fileprivate consuming func sixOperators(_ name: String) -> Outlet<Int> {
    via(
      name,
      Fused {
        Map { (value: Int) in Arithmetic.scale(value) }
        Filter { Arithmetic.isKept($0) }
        Map { Arithmetic.fold($0) }
        Map { Arithmetic.shift($0) }
        Filter { Arithmetic.isWanted($0) }
        Map { Arithmetic.mix($0) }
      })
  }

  fileprivate consuming func twelve(_ name: String) -> Outlet<Int> {
    via(
      name,
      Fused {
        Scale()
        Keep()
        Fold()
        Shift()
        Want()
        Mix()
        Scale()
        Keep()
        Fold()
        Shift()
        Want()
        Mix()
      })
  }
}
