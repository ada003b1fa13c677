/// The figures that `--check` holds a run against, by the name of the comparison: a quarter to a half of what was measured
/// for speed-ups and two to three times for costs, since machines that run this are shared and noisy, and a busy second core
/// alone makes a hop five times as dear; never so loose that a lost specialisation (15 times and more) or a wake-up for each
/// element would pass on one thread.
enum Thresholds {
  static let table: [String: Double] = [
    // memory
    "idle stage with its task": 7,
    "idle node, six to a task": 3,
    "idle stage with its task against idle AsyncStream with its task": 4,
    "stalled consumer, 200-byte messages against bound of the stalled graph by describe()": 1,
    "stalled consumer, 200-byte messages faster than AsyncStream, stalled consumer, 200-byte messages": 15,
    "growth over 10 M elements": 1024,
    // fused
    "Fused by via faster than stdlib async chain": 120,
    "Fused operators by via faster than stdlib async chain": 30,
    "Fused in a graph faster than stdlib async chain": 40,
    "Fused operators in a graph faster than stdlib async chain": 12,
    "Fused by via against plain loop": 4,
    "Fused in a graph against plain loop": 14,
    "Fused in a graph, chunk 64 against plain loop": 22,
    "Fused operators in a graph against plain loop": 50,
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
    // hop: on the pool the two cores of a machine share lines of memory, which may cost anything; one thread is steady
    "link 64, 1 producer faster than AsyncStream, 1 producer": 3,
    "link 1024, 1 producer faster than AsyncStream, 1 producer": 5,
    "link 1024, chunks of 64, 1 producer faster than AsyncStream, 1 producer": 20,
    "link 1024, chunks of 256, 1 producer faster than AsyncStream, 1 producer": 20,
    "link 64, 4 producers faster than AsyncStream, 4 producers": 1.5,
    "link 1024, 4 producers faster than AsyncStream, 4 producers": 2,
    "link 1024, chunks of 64, 4 producers faster than AsyncStream, 4 producers": 20,
    "link 1024, chunks of 256, 4 producers faster than AsyncStream, 4 producers": 20,
    "link 1024, messages faster than AsyncStream, messages": 1.5,
    "link 1024, chunks of 64, messages faster than AsyncStream, messages": 2,
    "link 64, 1 producer, one thread faster than AsyncStream, 1 producer": 12,
    "link 1024, 1 producer, one thread faster than AsyncStream, 1 producer": 18,
    "link 1024, chunks of 64, 1 producer, one thread faster than AsyncStream, 1 producer": 60,
    "link 1024, chunks of 256, 1 producer, one thread faster than AsyncStream, 1 producer": 60,
    "link 64, 4 producers, one thread faster than AsyncStream, 4 producers": 8,
    "link 1024, 4 producers, one thread faster than AsyncStream, 4 producers": 12,
    "link 1024, chunks of 64, 4 producers, one thread faster than AsyncStream, 4 producers": 50,
    "link 1024, chunks of 256, 4 producers, one thread faster than AsyncStream, 4 producers": 60,
    "link 1024, messages, one thread faster than AsyncStream, messages": 8,
    "link 1024, chunks of 64, messages, one thread faster than AsyncStream, messages": 12,
    "link 1024, 1 producer faster than AsyncStream bounded 1024, 1 producer": 5,
    "link 1024, 1 producer, one thread faster than AsyncStream, 1 producer, one thread": 20,
    "link 1024, chunks of 64, 1 producer, one thread faster than AsyncStream, 1 producer, one thread": 40,
    // pipe
    "graph faster than stdlib operators and AsyncStream": 70,
    "graph, chunk 64, limit 1024 faster than stdlib operators and AsyncStream": 35,
    "graph, limit 1024 faster than stdlib operators and AsyncStream": 70,
    "graph fed element by element faster than stdlib operators and AsyncStream": 8,
    // joins
    "merge of 2 against hop": 8,
    "zip against hop": 20,
    "zip in one task against hop": 14,
    "combineLatest against hop": 14,
    "broadcast to 2 against hop": 12,
    "broadcast to 4 against hop": 20,
    "merge of 2 faster than AsyncStream, 2 producers": 35,
    "zip faster than AsyncStream, zip": 18,
    "combineLatest faster than AsyncStream, 2 producers": 18,
    "broadcast to 2 faster than AsyncStream, 2 consumers": 35,
    "broadcast to 4 faster than AsyncStream, 4 consumers": 35,
    // parallel
    "balance among 2 against hop": 30,
    "balance among 2, 64 at once against hop": 10,
    "route to 2 against hop": 36,
    "2 lanes by text key against hop": 42,
    "AsyncStage, serial against stdlib async map": 80,
    "AsyncStage, serial faster than AsyncStream and async map": 0.8,
    "AsyncStage, ordered 4 faster than task group, 4 under way": 0.25,
    "AsyncStage, unordered 4 faster than task group, 4 under way": 0.3,
    "AsyncStage, lanes 4 faster than task group, 4 under way": 0.4,
    // latency
    "links, 2 hops, pool faster than AsyncStream, 2 hops, pool": 0.5,
    "graph from a hub, pool faster than stdlib pipe, 3 hops, pool": 0.5,
    "graph from a hub, pool faster than AsyncStream, 2 hops, pool": 0.25,
    "graph from AsyncStream, pool faster than stdlib pipe, 3 hops, pool": 0.3,
    "links, 2 hops, one thread faster than AsyncStream, 2 hops, pool": 1.2,
    "graph from a hub, one thread faster than stdlib pipe, 3 hops, pool": 0.8,
    "graph from a hub, one thread faster than AsyncStream, 2 hops, pool": 0.5,
    "graph from AsyncStream, one thread faster than stdlib pipe, 3 hops, pool": 0.5,
    "links, 2 hops, one thread faster than AsyncStream, 2 hops, one thread": 1.2,
    "graph from a hub, one thread faster than stdlib pipe, 3 hops, one thread": 0.9,
    // decode
    "OpenIMCallbackDecoder faster than JSONDecoder": 2,
    // hints
    "hub, 100 readers faster than AsyncStream newest 64, 100 readers": 0.15,
    "hub, 100 readers against hub, 1 reader": 300,
    "hub, 100 stuck readers against hub, 100 readers": 1.5,
    "hub, 100 stuck readers, distinct conversations against hub, 100 stuck readers": 6,
    "growth over the burst, 100 readers": 4_096,
    "growth over the burst, 100 stuck readers": 4_096,
  ]

  /// Names that no comparison has: a renamed case must not lose its threshold.
  static func orphans(among families: [Family]) -> [String] {
    let names = Set(families.flatMap { $0.comparisons.map(\.name) })
    return table.keys.filter { !names.contains($0) }.sorted()
  }
}
