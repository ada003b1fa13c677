import Testing

@testable import WeirCommandKit

@Suite struct `The pacer of a replay` {
  /// Times at which elements went, when each wait is kept to exactly.
  private func times(_ pacer: inout RatePacer, count: Int, from start: Duration) -> [Duration] {
    var now = start
    return (0..<count).map { _ in
      now += pacer.wait(at: now) ?? .zero
      return now
    }
  }

  @Test(arguments: [1, 7, 1_000, 250_000]) func `spaces elements evenly`(rate: Int) {
    var pacer = RatePacer(perSecond: rate, start: .seconds(3))
    let times = times(&pacer, count: 100, from: .seconds(3))
    for (index, time) in times.enumerated() {
      let exact = Duration.seconds(3) + .seconds(1) / Double(rate) * index
      #expect(abs((time - exact) / .seconds(1)) < 1e-6)
    }
  }

  @Test func `makes up for a short delay, not for a standstill`() {
    var late = RatePacer(perSecond: 1_000, start: .zero)
    _ = times(&late, count: 10, from: .zero)
    // 15 ms late: 15 elements and the one that is due go at once.
    let catchingUp = times(&late, count: 20, from: .milliseconds(25))
    #expect(catchingUp.count { $0 == .milliseconds(25) } == 16)

    var stalled = RatePacer(perSecond: 1_000, start: .zero)
    _ = times(&stalled, count: 10, from: .zero)
    let burst = times(&stalled, count: 500, from: .seconds(60))
    #expect(burst.count { $0 == .seconds(60) } == 21)
    #expect(burst.last == .seconds(60) + .milliseconds(479))
  }
}
