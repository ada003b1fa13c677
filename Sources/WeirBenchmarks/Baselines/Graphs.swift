import Weir

/// Builds a graph, runs it, and gives the sum of what reaches its end.
func sum(
  _ options: RunOptions = RunOptions(), _ build: (GraphBuilder) throws -> Outlet<Int>
) async throws -> Int {
  let blueprint = try Blueprint("benchmark") { graph in
    try build(graph).fold("sum", 0) { $0 &+= $1 }
  }
  return try await result(of: blueprint, options)
}

/// Runs a graph whose handle is a result.
func result<Value: Sendable>(
  of blueprint: Blueprint<Handle<RunResult<Value>>>, _ options: RunOptions = RunOptions()
) async throws -> Value {
  try await blueprint.run(options) { live in
    await live.waitUntilEnded()
    return try live[live.handles].value
  }
}

extension Outlet where Element == Int {
  /// The chain of six as one fused node of nominal stages.
  consuming func six(_ name: String) -> Outlet<Int> {
    via(
      name,
      Fused {
        Scale()
        Keep()
        Fold()
        Shift()
        Want()
        Mix()
      })
  }

  /// The chain of six as six nodes.
  consuming func sixNodes() -> Outlet<Int> { firstThree().lastThree() }

  consuming func firstThree() -> Outlet<Int> { via("scale", Scale()).via("keep", Keep()).via("fold", Fold()) }

  consuming func lastThree() -> Outlet<Int> { via("shift", Shift()).via("want", Want()).via("mix", Mix()) }
}

/// Builds a graph with several ends, runs it, and gives the sum of what reached all of them.
func sumOfLegs(_ build: (GraphBuilder) throws -> [Handle<RunResult<Int>>]) async throws -> Int {
  let blueprint = try Blueprint("benchmark", build)
  return try await blueprint.run { live in
    await live.waitUntilEnded()
    return try live.handles.reduce(0) { try $0 &+ live[$1].value }
  }
}
