/// The figures that `--check` holds a run against, by the name of the comparison: about half of what was measured for
/// speed-ups and about twice for costs, since machines that run this are shared and noisy; never so loose that a lost
/// specialisation or a wake-up for each element would pass.
enum Thresholds {
  static let table: [String: Double] = [
    // memory
    "idle stage with its task": 16,
    "idle stage with its task against idle AsyncStream with its task": 6,
    "stalled consumer, 200-byte messages against bound of the stalled graph by describe()": 1,
    "stalled consumer, 200-byte messages faster than AsyncStream, stalled consumer, 200-byte messages": 100,
    "growth over 10 M elements": 1024,
    // fused
    "Fused by via faster than stdlib async chain": 250,
    "Fused operators by via faster than stdlib async chain": 60,
    "Fused in a graph faster than stdlib async chain": 70,
    "Fused operators in a graph faster than stdlib async chain": 20,
    "Fused by via against plain loop": 2.5,
    "Fused in a graph against plain loop": 9,
    "Fused in a graph, chunk 64 against plain loop": 15,
    "Fused operators in a graph against plain loop": 34,
    "Fused twelve in a graph against Fused in a graph": 3,
    "two Fused sixes in a graph against Fused in a graph": 3,
    // nodes
    "six nodes, chunk 64 faster than stdlib async chain": 16,
    "six nodes, chunk 256 faster than stdlib async chain": 30,
    "six nodes, chunk 16 against plain loop": 120,
    "six nodes, chunk 64 against plain loop": 45,
    "six nodes, chunk 256 against plain loop": 24,
    "six nodes, chunk 1024 against plain loop": 18,
    "six nodes, chunk 64 on top of six nodes without a clock, chunk 64": 1.5,
    "six nodes, chunk 256 on top of six nodes without a clock, chunk 256": 0.5,
    "six nodes, chunk 64 on top of six chunk loops, chunk 64": 4,
    "six nodes, chunk 256 on top of six chunk loops, chunk 256": 1.5,
    // hop
    "link 64, 1 producer faster than AsyncStream, 1 producer": 9,
    "link 1024, 1 producer faster than AsyncStream, 1 producer": 15,
    "link 1024, 1 producer faster than AsyncStream bounded 1024, 1 producer": 15,
    "link 1024, chunks of 64, 1 producer faster than AsyncStream, 1 producer": 50,
    "link 1024, chunks of 256, 1 producer faster than AsyncStream, 1 producer": 40,
    "link 64, 4 producers faster than AsyncStream, 4 producers": 3,
    "link 1024, 4 producers faster than AsyncStream, 4 producers": 4,
    "link 1024, chunks of 64, 4 producers faster than AsyncStream, 4 producers": 38,
    "link 1024, chunks of 256, 4 producers faster than AsyncStream, 4 producers": 40,
    "link 1024, messages faster than AsyncStream, messages": 3,
    "link 1024, chunks of 64, messages faster than AsyncStream, messages": 4,
    // pipe
    "graph faster than stdlib operators and AsyncStream": 150,
    "graph, chunk 64, limit 1024 faster than stdlib operators and AsyncStream": 80,
    "graph, limit 1024 faster than stdlib operators and AsyncStream": 150,
    "graph fed element by element faster than stdlib operators and AsyncStream": 20,
    // joins
    "merge of 2 against hop": 4,
    "zip against hop": 16,
    "zip in one task against hop": 10,
    "combineLatest against hop": 10,
    "broadcast to 2 against hop": 8,
    "broadcast to 4 against hop": 14,
    "merge of 2 faster than AsyncStream, 2 producers": 80,
    "zip faster than AsyncStream, zip": 35,
    "combineLatest faster than AsyncStream, 2 producers": 40,
    "broadcast to 2 faster than AsyncStream, 2 consumers": 70,
    "broadcast to 4 faster than AsyncStream, 4 consumers": 70,
    // parallel
    "balance among 2 against hop": 20,
    "balance among 2, 64 at once against hop": 6,
    "route to 2 against hop": 24,
    "2 lanes by text key against hop": 28,
    "AsyncStage, serial against stdlib async map": 40,
    "AsyncStage, serial faster than AsyncStream and async map": 1.5,
    "AsyncStage, ordered 4 faster than task group, 4 under way": 0.4,
    "AsyncStage, unordered 4 faster than task group, 4 under way": 0.5,
    "AsyncStage, lanes 4 faster than task group, 4 under way": 0.9,
    // latency
    "links, 2 hops, pool faster than AsyncStream, 2 hops, pool": 0.5,
    "graph from a hub, pool faster than AsyncStream, 2 hops, pool": 0.2,
    "graph from AsyncStream, pool faster than AsyncStream, 2 hops, pool": 0.25,
    "graph from a hub, pool faster than stdlib pipe, 3 hops, pool": 0.35,
    "links, 2 hops, one thread faster than AsyncStream, 2 hops, one thread": 1,
    "graph from a hub, one thread faster than AsyncStream, 2 hops, one thread": 0.3,
    "graph from AsyncStream, one thread faster than AsyncStream, 2 hops, one thread": 0.35,
    "graph from a hub, one thread faster than stdlib pipe, 3 hops, one thread": 0.6,
    // store
    "store, NORMAL 1 faster than C interface, NORMAL 1": 0.3,
    "store, NORMAL 16 faster than C interface, NORMAL 16": 0.35,
    "store, NORMAL 256 faster than C interface, NORMAL 256": 0.35,
    "store, FULL 1 faster than C interface, FULL 1": 0.4,
    "store, FULL 16 faster than C interface, FULL 16": 0.4,
    "store, FULL 256 faster than C interface, FULL 256": 0.4,
    "store, NORMAL 1 faster than text tables, NORMAL 1": 0.25,
    "store, NORMAL 16 faster than text tables, NORMAL 16": 0.25,
    "store, NORMAL 256 faster than text tables, NORMAL 256": 0.25,
    "store, FULL 1 faster than text tables, FULL 1": 0.25,
    "store, FULL 16 faster than text tables, FULL 16": 0.25,
    "store, FULL 256 faster than text tables, FULL 256": 0.25,
    "store, newest 50 conversations": 1_200_000,
    "store, file": 400,
    "store, bytes written at 256": 14_000,
    "store, newest 50 of a conversation": 600_000,
    "store, total unread": 5_000,
  ]

  /// Names that no comparison has: a renamed case must not lose its threshold.
  static func orphans(among families: [Family]) -> [String] {
    let names = Set(families.flatMap { $0.comparisons.map(\.name) })
    return table.keys.filter { !names.contains($0) }.sorted()
  }
}
