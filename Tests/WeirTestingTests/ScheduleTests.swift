import Testing

@testable import WeirTesting

@Suite struct ScheduleTests {
  private typealias TestSchedule = Schedule<String, String>

  /// What `action` would do, as text.
  private func text(_ action: TestSchedule.Action) -> String {
    switch action {
    case .run(let job): "run \(job)"
    case .wake(let waiters): "wake \(waiters.joined(separator: " "))"
    case .awaitExternal: "await external"
    case .ended: "ended"
    case .blocked: "blocked"
    }
  }

  @Test func jobsComeBeforeExternalWorkBeforeIdlenessBeforeTime() {
    var schedule = TestSchedule(seed: 1, mode: .automatic)
    schedule.addSleeper(id: 1, deadline: .seconds(2), waiter: "sleeper")
    schedule.addIdleWaiter("idle")
    let external = schedule.beginExternal(named: "disk")
    _ = schedule.enqueue("job", from: .current)
    #expect(text(schedule.next()) == "run job")
    #expect(text(schedule.next()) == "await external")
    #expect(schedule.externalNames == ["disk"])
    _ = schedule.endExternal(id: external)
    #expect(text(schedule.next()) == "wake idle")
    #expect(schedule.now == .zero)
    #expect(text(schedule.next()) == "wake sleeper")
    #expect(schedule.now == .seconds(2))
    #expect(text(schedule.next()) == "blocked")
    schedule.endRoot()
    _ = schedule.enqueue("straggler", from: .current)
    #expect(text(schedule.next()) == "run straggler")
    #expect(text(schedule.next()) == "ended")
  }

  @Test func tiesWakeInAnOrderOfTheSeed() {
    func order(_ seed: UInt64) -> String {
      var schedule = TestSchedule(seed: seed, mode: .automatic)
      for (id, name) in ["a", "b", "c"].enumerated() {
        schedule.addSleeper(id: UInt64(id), deadline: .seconds(1), waiter: name)
      }
      return text(schedule.next())
    }
    #expect(Set((1...60).map(order)).count == 6)
    #expect((1...60).allSatisfy { order($0) == order($0) })
  }

  @Test func timeNeverGoesBack() {
    var schedule = TestSchedule(seed: 1, mode: .manual)
    schedule.addSleeper(id: 1, deadline: .seconds(3), waiter: "late")
    schedule.addSleeper(id: 2, deadline: .seconds(1), waiter: "early")
    #expect(text(schedule.next()) == "blocked")
    #expect(schedule.advance(to: .seconds(5)) == ["early", "late"])
    #expect(schedule.advance(to: .seconds(4)) == [])
    #expect(schedule.now == .seconds(5))
  }

  @Test func aParkedDriverIsOwedExactlyOneSignal() {
    var schedule = TestSchedule(seed: 1, mode: .automatic)
    let external = schedule.beginExternal(named: "disk")
    #expect(schedule.park() == true)
    #expect(schedule.enqueue("first", from: .current) == true)
    #expect(schedule.enqueue("second", from: .current) == false)
    #expect(schedule.park() == false)
    _ = schedule.next()
    _ = schedule.next()
    #expect(schedule.park() == true)
    #expect(schedule.endExternal(id: external) == true)
    #expect(schedule.endExternal(id: external) == false)
    #expect(schedule.unpark() == false)
  }
}
