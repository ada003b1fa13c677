import Weir
import WeirTesting

/// A graph with a node of nearly every kind, for rules that every node has to keep.
struct EverythingGraph: Sendable {
  struct Handles: Sendable {
    let ledger: Handle<SettlementLedger>
    let all: Handle<RunResult<[Int]>>
    let sums: Handle<RunResult<Int>>
    let stop: Handle<KillSwitch>
  }

  let clock: GraphClock
  let probe = SourceProbe<Int>()
  /// Objects that belong to a run: none may outlive it.
  let leaks = LeakCheck()
  /// Elements of the process source and of the collection.
  let count: Int

  init(_ simulation: Simulation, count: Int = 12) { self.init(GraphClock(simulation.clock), count: count) }

  init(_ clock: GraphClock, count: Int = 12) {
    self.clock = clock
    self.count = count
  }

  func blueprint() throws -> Blueprint<Handles> {
    try Blueprint("everything") { graph in
      let stop = graph.killSwitch("stop")
      let ledger = graph.ledger()
      let probed = graph.source("probe", probe, limit: .elements(2))
      let polled = graph.source("poll", of: Int.self, limit: .elements(3)) { [leaks, count, clock] output in
        let life = leaks.track(Life(), "poll")
        for element in 0..<count {
          try await clock.sleep(for: .milliseconds(10))
          if !(await output.send(element)) { return }
        }
        withExtendedLifetime(life) {}
      }
      let merged = graph.merge("merge", probed, polled, graph.source("numbers", 0..<count), limit: .elements(4))
      let fork = merged.tracked("tracked", by: ledger).via("hold", HoldBack(2))
        .via("odd", RefusingOdd(), supervision: .skip).boundary("hop", limit: .elements(3)).broadcast("fan")
      let lanes = fork.first.lanes("lanes", 2, by: { "\($0)" }) { lane, outlet in
        outlet.via("call \(lane)", SlowCall(clock: clock), parallel: .ordered(2))
      }
      let all = lanes.via("delay", Hold(time: .milliseconds(5))).via("forward", Forward()).killable("place", by: stop)
        .collect("all")
      let cycle = graph.feedback("again", fork.second)
      let turn = cycle.outlet.via("half", Apply { $0 / 2 }).broadcast("turn")
      turn.first.via("above", Keep { $0 > 0 }).feed(cycle.inlet)
      let sums = turn.second.fold("sum", 0) { $0 += $1 }
      graph.deadLetters().via("look", LetterStage()).ignore("dead")
      return Handles(ledger: ledger, all: all, sums: sums, stop: stop)
    }
  }

  /// Feeds the probe as long as it is wanted.
  func feed() async {
    try? await probe.send(contentsOf: 100..<(100 + count))
    probe.finish()
  }

  /// Runs the blueprint while the probe is fed.
  func run<Result: Sendable>(
    _ blueprint: Blueprint<Handles>, _ options: RunOptions,
    _ body: @escaping @Sendable (LiveGraph<Handles>) async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await feed() }
      let result = try await blueprint.run(options, body)
      group.cancelAll()
      return result
    }
  }

  final class Life: Sendable {}
}
