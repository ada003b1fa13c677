import Weir

/// How long one element takes through something idle, and back.
let latency = Family(
  name: "latency", title: "round trip of one element through an idle graph",
  cases: [("pool", false), ("one thread", true)].flatMap { place, single in
    [
      roundTrips("AsyncStream, 2 hops, \(place)", single) { try await streamTrips($0) },
      roundTrips("stdlib pipe, 3 hops, \(place)", single) { try await stdlibPipeTrips($0) },
      roundTrips("links, 2 hops, \(place)", single) { try await linkTrips($0) },
      roundTrips("graph from a hub, \(place)", single) { try await hubTrips($0) },
      roundTrips("graph from AsyncStream, \(place)", single) { try await graphTrips($0) },
    ]
  },
  // A graph with one boundary is three hops there and back, as is the pipe made of the standard library's parts.
  comparisons: ["pool", "one thread"].flatMap { place in
    [
      .speedup("links, 2 hops, \(place)", over: "AsyncStream, 2 hops, pool", goal: 2),
      .speedup("graph from a hub, \(place)", over: "stdlib pipe, 3 hops, pool", goal: 2),
      .speedup("graph from a hub, \(place)", over: "AsyncStream, 2 hops, pool"),
      .speedup("graph from AsyncStream, \(place)", over: "stdlib pipe, 3 hops, pool"),
    ]
  } + [
    .speedup("links, 2 hops, one thread", over: "AsyncStream, 2 hops, one thread"),
    .speedup("graph from a hub, one thread", over: "stdlib pipe, 3 hops, one thread"),
  ])

private func roundTrips(
  _ name: String, _ single: Bool, _ trips: @escaping @Sendable (Int) async throws -> Duration
) -> Case {
  Case(name, unit: .perRoundTrip, count: 20_000) { count in
    let elapsed: Duration
    if single {
      elapsed = try await Task(executorPreference: SingleThreadExecutor()) { try await trips(count) }.value
    } else {
      elapsed = try await trips(count)
    }
    return elapsed.nanoseconds / Double(count)
  }
}

/// Times `count` round trips after some that warm up.
private func time(_ count: Int, _ trip: (Int) async throws -> Int?) async throws -> Duration {
  for index in 0..<100 { _ = try await trip(index) }
  let start = ContinuousClock.now
  for index in 0..<count {
    guard let answer = try await trip(index), answer == index else {
      throw BenchmarkError.wrongResult(name: "round trip", expected: index, result: -1)
    }
  }
  return ContinuousClock.now - start
}

private func streamTrips(_ count: Int) async throws -> Duration {
  let (there, send) = AsyncStream.makeStream(of: Int.self)
  let (back, reply) = AsyncStream.makeStream(of: Int.self)
  return try await withThrowingDiscardingTaskGroup { group in
    group.addTask { for await value in there { reply.yield(value) } }
    var answers = back.makeAsyncIterator()
    let elapsed = try await time(count) { value in
      send.yield(value)
      return await answers.next()
    }
    send.finish()
    return elapsed
  }
}

private func stdlibPipeTrips(_ count: Int) async throws -> Duration {
  let (first, send) = AsyncStream.makeStream(of: Int.self)
  let (second, pass) = AsyncStream.makeStream(of: Int.self)
  let (back, reply) = AsyncStream.makeStream(of: Int.self)
  return try await withThrowingDiscardingTaskGroup { group in
    group.addTask { for await value in first.map({ $0 }).filter({ $0 >= 0 }).map({ $0 }) { pass.yield(value) } }
    group.addTask { for await value in second.map({ $0 }).filter({ $0 >= 0 }).map({ $0 }) { reply.yield(value) } }
    var answers = back.makeAsyncIterator()
    let elapsed = try await time(count) { value in
      send.yield(value)
      return await answers.next()
    }
    send.finish()
    pass.finish()
    return elapsed
  }
}

private func linkTrips(_ count: Int) async throws -> Duration {
  let there = Link<Int>()
  let back = Link<Int>()
  return try await withThrowingDiscardingTaskGroup { group in
    group.addTask {
      var chunk = Chunk<Int>()
      while try await there.receive(into: &chunk) { await back.send(&chunk) }
      back.finish()
    }
    var chunk = Chunk<Int>()
    let elapsed = try await time(count) { value in
      await there.send(value)
      _ = try await back.receive(into: &chunk)
      return chunk.popFirst()
    }
    there.finish()
    return elapsed
  }
}

extension Outlet where Element == Int {
  /// Six nodes with a change of task in the middle, and the way out.
  fileprivate consuming func sixAndOut() -> Handle<OutletSequence<Int>> {
    map("first") { (value: Int) in value }.filter("second") { $0 >= 0 }.map("third") { (value: Int) in value }
      .boundary("hop")
      .map("fourth") { (value: Int) in value }.filter("fifth") { $0 >= 0 }.map("sixth") { (value: Int) in value }
      .sequence("out")
  }
}

private func hubTrips(_ count: Int) async throws -> Duration {
  let hub = MergeHub<Int>()
  let producer = hub.producer()
  let blueprint = try Blueprint("latency") { graph in graph.source("in", hub).sixAndOut() }
  return try await blueprint.run { live in
    var answers = try live[live.handles].makeAsyncIterator()
    let elapsed = try await time(count) { value in
      await producer.send(value)
      return try await answers.next()
    }
    producer.finish()
    hub.close()
    return elapsed
  }
}

private func graphTrips(_ count: Int) async throws -> Duration {
  let (stream, send) = AsyncStream.makeStream(of: Int.self)
  let blueprint = try Blueprint("latency") { graph in graph.source("in", stream).sixAndOut() }
  return try await blueprint.run { live in
    var answers = try live[live.handles].makeAsyncIterator()
    let elapsed = try await time(count) { value in
      send.yield(value)
      return try await answers.next()
    }
    send.finish()
    return elapsed
  }
}
