import Testing
import Weir
import WeirTesting

/// The suite applied to stages of every kind, and to planted bugs it has to find.
@Suite struct VerificationTests {
  private static let numbers = Array(0..<12)

  @Test func `required_all a synchronous stage`() throws {
    let report = try verify("pairs", seeds: .sweep(20)) {
      Pairs()
    } inputs: {
      Self.numbers
    } expecting: { numbers in
      stride(from: 0, to: numbers.count, by: 2).map { numbers[$0..<min($0 + 2, numbers.count)].reduce(0, +) }
    }
    #expect(report.checked.count == 17)
    #expect(report.verdicts[.r10] == .notApplicable(Rule.r10.whyNotApplicable ?? ""))
  }

  @Test func `required_all a stage that ends early`() throws {
    var options = VerificationOptions()
    options.mayFinishEarly = true
    try verify("first three", seeds: .sweep(20), options: options) {
      FirstThree()
    } inputs: {
      Self.numbers
    }
  }

  @Test func `required_all a stage that lets nothing through`() throws {
    try verify("nothing", seeds: .sweep(20)) {
      Nothing()
    } inputs: {
      Self.numbers
    } expecting: { _ in
      []
    }
  }

  @Test(arguments: [Parallelism<Int>.serial, .ordered(3), .unordered(3), .lanes(3, by: { UInt64($0) })])
  func `required_all an asynchronous stage`(parallel: Parallelism<Int>) throws {
    var options = VerificationOptions()
    switch parallel {
    case .serial, .ordered: break
    case .unordered, .lanes: options.keepsOrder = false
    }
    try verify("echo", seeds: .sweep(20), options: options, parallel: parallel) {
      SlowEcho()
    } inputs: {
      Self.numbers
    } expecting: {
      $0
    }
  }

  @Test func `required_all a stage that works on all that is ready`() throws {
    try verify("sums", seeds: .sweep(20)) {
      ChunkEcho()
    } inputs: {
      Self.numbers
    } expecting: {
      $0
    }
  }

  @Test func `required_all a process`() throws {
    try verify("forward", seeds: .sweep(20)) {
      Forward()
    } inputs: {
      Self.numbers
    } expecting: {
      $0
    }
  }

  @Test func `required_all a timed stage`() throws {
    try verify("delay", seeds: .sweep(20)) {
      Hold(time: .seconds(3))
    } inputs: {
      Self.numbers
    } expecting: {
      $0
    }
  }

  @Test func `required_all a fragment of several nodes`() throws {
    var options = VerificationOptions()
    options.keepsOrder = false
    try verify("diamond", seeds: .sweep(20), options: options) { graph, outlet in
      let fork = outlet.via("double", Doubling()).broadcast("fan")
      return graph.merge("merge", fork.first.boundary("hop", limit: .elements(3)), fork.second.via("pairs", Doubling()))
    } inputs: {
      Self.numbers
    } expecting: { numbers in
      numbers.flatMap { [$0 * 2, $0 * 4] }
    }
  }

  @Test func `required_R18 impossible parameters are refused`() throws {
    let faults = try verifyRefused("no lanes", of: Int.self) { _, outlet in
      outlet.via("echo", SlowEcho(), parallel: .ordered(0))
    }
    #expect(faults.faults.map(\.kind) == [.badStage])
    let accepted = #expect(throws: VerificationFailure.self) {
      try verifyRefused("fine", of: Int.self) { _, outlet in outlet.via("double", Doubling()) }
    }
    #expect(accepted?.rule == .r18)
  }

  // MARK: Stages that wait

  @Test func `required_all a stage that sleeps by the clock it is given`() throws {
    for parallel in [Parallelism<Int>.serial, .ordered(3)] {
      let report = try verify("sleeper", seeds: .sweep(20), parallel: parallel) { simulation in
        Sleeper(clock: GraphClock(simulation.clock))
      } inputs: {
        Self.numbers
      } expecting: {
        $0
      }
      #expect(report.checked.count == 17)
    }
  }

  @Test func `required_all a stage on all that is ready, a process and a fragment that sleep`() throws {
    try verify(
      "chunks", seeds: .sweep(20), chunked: { SleepingChunks(clock: GraphClock($0.clock)) }, inputs: { Self.numbers })
    try verify(
      "process", seeds: .sweep(20), process: { SleepingProcess(clock: GraphClock($0.clock)) }, inputs: { Self.numbers })
    try verify("fragment", seeds: .sweep(20)) { (_, outlet: consuming Outlet<Int>, simulation) in
      outlet.via("sleep", Sleeper(clock: GraphClock(simulation.clock))).via("double", Doubling())
    } inputs: {
      Self.numbers
    } expecting: {
      $0.map { $0 * 2 }
    }
  }

  @Test func `a stage that sleeps by the real clock is told to take another`() throws {
    let failure = #expect(throws: VerificationFailure.self) {
      try verify("real", seeds: .sweep(1), async: { Sleeper(clock: .continuous) }, inputs: { [1] })
    }
    #expect(failure?.finding == .stalled)
    #expect(failure?.description.contains("simulation.clock") == true)
  }

  @Test(.timeLimit(.minutes(15)))
  func `required_all a stage that sleeps by the real clock, with patience`() throws {
    var options = VerificationOptions()
    options.stallPatience = .seconds(30)
    options.longRun = 20
    try verify("real", seeds: .sweep(2), options: options, async: { Sleeper(clock: .continuous) }, inputs: { [1, 2] })
  }

  @Test func `a stage that means what it does is told which option says so`() throws {
    let reordered = #expect(throws: VerificationFailure.self) {
      try verify(
        "reordered", seeds: .sweep(50), parallel: .unordered(3), async: { SlowEcho() }, inputs: { Self.numbers },
        expecting: { $0 })
    }
    #expect(reordered?.finding == .wrongOutputs)
    #expect(reordered?.advice?.contains("keepsOrder") == true)
    let early = #expect(throws: VerificationFailure.self) {
      try verify("first three", seeds: .sweep(50)) {
        FirstThree()
      } inputs: {
        Self.numbers
      }
    }
    #expect(early?.advice?.contains("mayFinishEarly") == true)
  }

  @Test func `nothing to work on is no verification`() {
    let failure = #expect(throws: VerificationFailure.self) {
      try verify("pairs", seeds: .sweep(5)) {
        Pairs()
      } inputs: {
        []
      }
    }
    #expect(failure?.finding == .noInputs)
  }

  @Test func `elements kept without saying so are noted`() throws {
    let silent = try verify("sorter", seeds: .sweep(5), stage: { SilentSorter() }, inputs: { [3, 1, 2] })
    #expect(silent.notes.count == 1 && silent.description.contains("`held`"))
    let pairs = try verify("pairs", seeds: .sweep(5), stage: { Pairs() }, inputs: { [3, 1, 2] })
    #expect(pairs.notes.isEmpty)
    let many = try verify("many", seeds: .sweep(2), stage: { ManyOfOne(holds: 0) }, inputs: { [1] })
    #expect(many.notes.count == 1 && many.description.contains("`holds`"))
    let said = try verify("many", seeds: .sweep(2), stage: { ManyOfOne(holds: nil) }, inputs: { [1] })
    #expect(said.notes.isEmpty)
  }

  // MARK: Planted bugs

  @Test func `state shared between copies breaks R09 or an earlier rule`() throws {
    let failure = #expect(throws: VerificationFailure.self) {
      let count = SharedCount()
      return try verify("shared", seeds: .sweep(50)) {
        SharedState(count: count)
      } inputs: {
        Self.numbers
      }
    }
    #expect(failure?.name == "shared")
    #expect(failure?.replay.command.contains("WEIR_SEED=") == true)
  }

  @Test func `an element swallowed at the end is found`() throws {
    let failure = #expect(throws: VerificationFailure.self) {
      try verify("forgetful", seeds: .sweep(20)) {
        Forgetful()
      } inputs: {
        [1, 2, 3]
      } expecting: {
        $0
      }
    }
    #expect(failure?.finding == .wrongOutputs)
  }

  @Test func `an element held for ever breaks R13`() throws {
    let failure = #expect(throws: VerificationFailure.self) {
      try verify("liar", seeds: .sweep(20)) {
        Liar()
      } inputs: {
        Self.numbers
      }
    }
    #expect(failure?.rule == .r13)
  }
}

struct Pairs: Stage {
  var first: Int?
  var held: Int { first == nil ? 0 : 1 }
  var holds: Int? { 1 }

  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    if let first {
      emit(first + element)
      self.first = nil
    } else {
      first = element
    }
  }

  mutating func finish(_ emit: (Int) -> Void) {
    if let first { emit(first) }
    first = nil
  }
}

struct FirstThree: Stage {
  var demand = 3
  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    demand -= 1
    emit(element)
  }
}

struct Nothing: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) {}
}

struct ChunkEcho: AsyncChunkStage {
  let maximum = 4
  mutating func process(_ elements: [Int], _ emit: (Int) -> Void) async {
    await Task.yield()
    for element in elements { emit(element) }
  }
}

struct Forward: Process {
  func run(_ input: ProcessInput<Int>, _ output: ProcessOutput<Int>) async throws {
    for try await element in input where !(await output.send(element)) { return }
  }
}

/// Lets each element go after a time.
struct Hold: TimedStage {
  let time: Duration
  var waiting: [(Int, Duration)] = []
  var deadline: Duration? { waiting.first?.1 }
  var held: Int { waiting.count }
  var holds: Int? { 4 }
  var acceptsInput: Bool { waiting.count < 4 }

  init(time: Duration) { self.time = time }

  mutating func process(_ element: Int, at now: Duration, _ emit: (Int) -> Void) {
    waiting.append((element, now + time))
  }

  mutating func wake(at now: Duration, _ emit: (Int) -> Void) {
    while let (element, due) = waiting.first, due <= now {
      emit(element)
      waiting.removeFirst()
    }
  }

  mutating func finish(at now: Duration, _ emit: (Int) -> Void) {
    for (element, _) in waiting { emit(element) }
    waiting = []
  }
}

final class SharedCount: Sendable {
  let state = RunCounter()
}

struct SharedState: Stage {
  let count: SharedCount
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { emit(count.state.next()) }
}

struct Forgetful: Stage {
  var last: Int?
  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    if let last { emit(last) }
    last = element
  }
}

/// Says that it holds what it does not hold.
struct Liar: Stage {
  var held = 0
  let holds: Int? = nil
  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    held += 1
    if element > 3 { emit(element) }
  }
}

/// Sleeps for each element, longer for some, by a clock it is given.
struct Sleeper: AsyncStage {
  let clock: GraphClock

  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws {
    try await clock.sleep(for: .milliseconds(1 + element % 3))
    emit(element)
  }
}

struct SleepingChunks: AsyncChunkStage {
  let clock: GraphClock

  mutating func process(_ elements: [Int], _ emit: (Int) -> Void) async throws {
    try await clock.sleep(for: .milliseconds(5))
    for element in elements { emit(element) }
  }
}

struct SleepingProcess: Process {
  let clock: GraphClock

  func run(_ input: ProcessInput<Int>, _ output: ProcessOutput<Int>) async throws {
    for try await element in input {
      try await clock.sleep(for: .milliseconds(2))
      guard await output.send(element) else { return }
    }
  }
}

/// Keeps everything until the end and does not say so.
struct SilentSorter: Stage {
  private var kept: [Int] = []

  mutating func process(_ element: Int, _ emit: (Int) -> Void) { kept.append(element) }

  mutating func finish(_ emit: (Int) -> Void) {
    for element in kept.sorted() { emit(element) }
    kept = []
  }
}

/// Makes a thousand elements of one.
struct ManyOfOne: Stage {
  let holds: Int?

  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    for index in 0..<1_000 { emit(element + index) }
  }
}
