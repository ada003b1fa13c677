import Weir

/// R21 and R22: counters and clocks, looked at from another task all the time.
extension Rig {
  func checkR21() async throws { try await scrape { try requireBalance($0) } }

  func checkR22() async throws { try await scrape { try requireSums($0) } }

  private func scrape(_ check: @escaping @Sendable (GraphSnapshot) throws -> Void) async throws {
    let inputs = subject.inputs
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source") { PausingSequence(elements: inputs, yielded: Counter()) }).ignore("sink")
    }
    try await blueprint.run(options) { live in
      try check(live.snapshot())
      var looks = 0
      while !live.isEnded && looks < 200 {
        await Task.yield()
        try check(live.snapshot())
        looks += 1
      }
      await live.waitUntilEnded()
      try check(live.snapshot())
    }
  }

  private func requireBalance(_ snapshot: GraphSnapshot) throws {
    for node in snapshot.nodes {
      let taken = node.elementsIn &+ node.created
      let gone =
        node.elementsOut &+ node.filtered &+ node.merged &+ node.discarded &+ node.deadLettered &+ node.inFlight
      try Violation.unless(
        taken == gone, expected: "node \"\(node.name)\" balances", seen: "\(taken) in, \(gone) out: \(node)")
    }
    for link in snapshot.links {
      let counters = link.counters
      let gone =
        counters.delivered &+ counters.conflated &+ counters.overflowed &+ counters.expired &+ counters.abandoned
      try Violation.unless(
        counters.accepted == gone &+ UInt64(link.depth), expected: "link \"\(link.name)\" balances", seen: "\(link)")
    }
  }

  private func requireSums(_ snapshot: GraphSnapshot) throws {
    for node in snapshot.nodes {
      let sum = node.busy + node.idle + node.blocked
      let gap = sum < node.elapsed ? node.elapsed - sum : sum - node.elapsed
      let isRight = gap * 100 <= node.elapsed && node.busy >= .zero && node.idle >= .zero && node.blocked >= .zero
      try Violation.unless(
        isRight, expected: "node \"\(node.name)\": times that sum to \(node.elapsed)",
        seen: "busy \(node.busy), idle \(node.idle), blocked \(node.blocked)")
    }
  }
}
