import Testing

@testable import Weir
@testable import WeirCommandKit

@Suite struct `The gauge of backpressure` {
  /// A snapshot after `elapsed` of nodes with shares of busy and blocked time.
  private func snapshot(_ elapsed: Duration, _ nodes: [(String, busy: Double, blocked: Double)]) -> GraphSnapshot {
    GraphSnapshot(
      graph: "test",
      nodes: nodes.map { name, busy, blocked in
        var node = NodeSnapshot(name: name, kind: .stage)
        node.elapsed = elapsed
        node.busy = elapsed * busy
        node.blocked = elapsed * blocked
        node.idle = elapsed - node.busy - node.blocked
        node.elementsOut = UInt64(elapsed / .milliseconds(1) * busy)
        return node
      }, links: [])
  }

  @Test func `names the node behind the one that waits`() {
    let start = snapshot(.zero, [("ingest", 0, 0), ("decode", 0, 0), ("projection", 0, 0), ("hints", 0, 0)])
    let end = snapshot(
      .seconds(1), [("ingest", 0.1, 0.9), ("decode", 0.3, 0.6), ("projection", 0.99, 0), ("hints", 0.01, 0)])
    #expect(BackpressureGauge.pressure(from: start, to: end) == .heldBy("projection", share: 0.6))
  }

  @Test func `a slow last node is the culprit, not the one that waits for it`() {
    let start = snapshot(.zero, [("ingest", 0, 0), ("projection", 0, 0), ("hints", 0, 0)])
    let end = snapshot(.seconds(1), [("ingest", 0.1, 0.9), ("projection", 0.2, 0.8), ("hints", 0.9, 0)])
    #expect(BackpressureGauge.pressure(from: start, to: end) == .heldBy("hints", share: 0.8))
  }

  @Test func `tells flowing from waiting, and compares over a while`() {
    let start = snapshot(.zero, [("ingest", 0, 0)])
    let moved = snapshot(.seconds(1), [("ingest", 0.5, 0)])
    #expect(BackpressureGauge.pressure(from: start, to: moved) == .flowing)
    #expect(BackpressureGauge.pressure(from: moved, to: moved) == .waiting)
    var gauge = BackpressureGauge()
    #expect(gauge.read(start, at: .zero) == .flowing)
    #expect(gauge.read(start, at: .milliseconds(100)) == .flowing)
    #expect(gauge.read(start, at: .milliseconds(600)) == .waiting)
  }
}
