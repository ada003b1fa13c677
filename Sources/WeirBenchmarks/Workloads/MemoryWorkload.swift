import Synchronization
import Weir

/// What idle stages, stalled consumers and long runs take. Read once, before anything else has filled the allocator.
let memory = Family(
  name: "memory", title: "memory: bytes allocated while idle and stalled, resident pages over a long run",
  cases: [
    Case("idle AsyncStream with its task", unit: .kibibytes, count: 2_000) { try await idleStreams($0) },
    Case("idle stage with its task", unit: .kibibytes, count: 2_000) { count in
      try await idleNodes(count, nodesPerTask: 1)
    },
    Case("idle node, six to a task", unit: .kibibytes, count: 6_000) { count in
      try await idleNodes(count, nodesPerTask: 6)
    },
    Case("idle asynchronous stage", unit: .kibibytes, count: 2_000) { try await idleAsyncStages($0) },
    Case("bound of the stalled graph by describe()", unit: .kibibytes, count: 1) { _ in
      let blueprint = try stalled(count: 1, gate: Gate())
      return Double(blueprint.memoryBound().bytes ?? 0) / 1024
    },
    Case("stalled consumer, 200-byte messages", unit: .kibibytes, count: 1_000_000) { try await stalledGraph($0) },
    Case("growth over 10 M elements", unit: .kibibytes, count: 10_000_000) { try await longRun($0) },
    Case("AsyncStream, stalled consumer, 200-byte messages", unit: .kibibytes, count: 1_000_000) {
      try await stalledStream($0)
    },
  ],
  comparisons: [
    .reading("idle stage with its task", goal: 4),
    .reading("idle node, six to a task", goal: 4),
    .reading("idle asynchronous stage", goal: 4),
    .cost("idle stage with its task", of: "idle AsyncStream with its task"),
    .cost("stalled consumer, 200-byte messages", of: "bound of the stalled graph by describe()", goal: 1),
    .speedup(
      "stalled consumer, 200-byte messages", over: "AsyncStream, stalled consumer, 200-byte messages", goal: 100),
    .reading("growth over 10 M elements", goal: 1024),
  ],
  rounds: 1)

/// Holds tasks until it is opened.
private final class Gate: Sendable {
  private let state = Mutex<(open: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))
  private let arrived = Atomic<Int>(0)

  var arrivals: Int { arrived.load(ordering: .acquiring) }

  func pass() async {
    arrived.add(1, ordering: .acquiringAndReleasing)
    await withCheckedContinuation { continuation in
      let open = state.withLock { state in
        if !state.open { state.waiting.append(continuation) }
        return state.open
      }
      if open { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.open = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// Lets every task that can run do so until `isDone` answers true or nothing has moved for a while.
private func settle(until isDone: () -> Bool) async throws {
  for _ in 0..<1_000 where !isDone() { try await Task.sleep(for: .milliseconds(2)) }
}

/// A chain of nodes with a change of task after every `nodesPerTask`, that has passed one element and waits for the next.
private func idleNodes(_ count: Int, nodesPerTask: Int) async throws -> Double {
  try await idle(count) { outlet, index in
    let node = outlet.map("node \(index)") { (value: Int) in value }
    return (index + 1) % nodesPerTask == 0 ? node.boundary("hop \(index)") : node
  }
}

private func idle(
  _ count: Int, _ add: (consuming Outlet<Int>, Int) -> Outlet<Int>
) async throws -> Double {
  let hub = MergeHub<Int>()
  let producer = hub.producer()
  let before = AllocatedMemory.kibibytes()
  let blueprint = try Blueprint("idle") { graph in
    var outlet = graph.source("in", hub)
    for index in 0..<count {
      outlet = add(outlet, index)
    }
    return outlet.sequence("out")
  }
  return try await blueprint.run { live in
    var answers = try live[live.handles].makeAsyncIterator()
    await producer.send(1)
    _ = try await answers.next()
    let after = AllocatedMemory.kibibytes()
    live.abort()
    return (after - before) / Double(count)
  }
}

/// A chain of asynchronous stages, each with its own task and link.
private func idleAsyncStages(_ count: Int) async throws -> Double {
  try await idle(count) { outlet, index in outlet.via("stage \(index)", AsyncEcho()) }
}

/// The same with AsyncStreams, each with its task.
private func idleStreams(_ count: Int) async throws -> Double {
  let before = AllocatedMemory.kibibytes()
  return try await withThrowingDiscardingTaskGroup { group in
    let (first, send) = AsyncStream.makeStream(of: Int.self)
    var last = first
    for _ in 0..<count {
      let (next, pass) = AsyncStream.makeStream(of: Int.self)
      let input = last
      group.addTask {
        for await value in input.map({ $0 }) { pass.yield(value) }
        pass.finish()
      }
      last = next
    }
    var answers = last.makeAsyncIterator()
    send.yield(1)
    _ = await answers.next()
    let after = AllocatedMemory.kibibytes()
    send.finish()
    return (after - before) / Double(count)
  }
}

private func stalled(count: Int, gate: Gate) throws -> Blueprint<Void> {
  try Blueprint("stalled") { graph in
    graph.source("numbers", 0..<count)
      .map("message") { Message($0) }
      .boundary("hop", limit: .elements(1024))
      .sink("stall", async: { _ in await gate.pass() })
  }
}

private func stalledGraph(_ count: Int) async throws -> Double {
  let gate = Gate()
  let before = AllocatedMemory.kibibytes()
  return try await stalled(count: count, gate: gate).run { live in
    try await settle { gate.arrivals > 0 && live.snapshot()[link: "hop"]?.depth ?? 0 >= 1024 }
    let after = AllocatedMemory.kibibytes()
    live.abort()
    gate.open()
    return after - before
  }
}

private func stalledStream(_ count: Int) async throws -> Double {
  let before = AllocatedMemory.kibibytes()
  let (stream, send) = AsyncStream.makeStream(of: Message.self)
  for value in 0..<count { send.yield(Message(value)) }
  let after = AllocatedMemory.kibibytes()
  withExtendedLifetime(stream) { send.finish() }
  return after - before
}

/// Most that a busy graph grows by after its first hundred thousand elements.
private func longRun(_ count: Int) async throws -> Double {
  let blueprint = try Blueprint("long") { graph in
    graph.source("numbers", 0..<count).firstThree().boundary("hop").lastThree()
      .fold("sum", (seen: 0, first: 0.0, most: 0.0)) { state, _ in
        state.seen &+= 1
        guard state.seen % 100_000 == 0, let now = try? ResidentMemory.kibibytes() else { return }
        if state.first == 0 { state.first = now }
        state.most = max(state.most, now)
      }
  }
  let state = try await result(of: blueprint)
  return state.most - state.first
}

private struct AsyncEcho: AsyncStage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async { emit(element) }
}
