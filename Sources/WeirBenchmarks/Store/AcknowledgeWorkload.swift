import Synchronization
import WeirChat
import WeirStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How long it takes until a message is durable when 2,000 come in a second, each in a call of its own, beside a plain loop
/// that commits whatever has come. Both are measured from the moment at which a message is due.
let acknowledged = Family(
  name: "store-acknowledge", title: "from a message to its durable commit at 2,000 messages a second, FULL",
  cases: [
    Case("store, 2,000/s, median", unit: .perCall, count: 6_000) { try await storeLatencies($0).at(0.5) },
    Case("C interface, 2,000/s, median", unit: .perCall, count: 6_000) { try await loopLatencies($0).at(0.5) },
    Case("store, 2,000/s, p99", unit: .perCall, count: 6_000) { try await storeLatencies($0).at(0.99) },
    Case("C interface, 2,000/s, p99", unit: .perCall, count: 6_000) { try await loopLatencies($0).at(0.99) },
  ],
  comparisons: [
    .reading("store, 2,000/s, p99", goal: 10_000_000),
    .cost("store, 2,000/s, p99", of: "C interface, 2,000/s, p99"),
    .cost("store, 2,000/s, median", of: "C interface, 2,000/s, median"),
  ])

private let pause: Int64 = 500_000

private func storeLatencies(_ count: Int) async throws -> [Double] {
  let latencies = Latencies()
  _ = try await StoreFiles.with(.store, count: 10_000) { directory, load in
    let messages = load.messages(count)
    let store = try await openStore(directory, isFull: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      // The group adds tasks from here; a thread of its own keeps the time, since the pool's timers are late by a frame.
      let due = AsyncStream.makeStream(of: (Int, Int64).self)
      Ticker.start(count: count, every: pause) { index, time in
        due.continuation.yield((index, time))
      } atEnd: {
        due.continuation.finish()
      }
      for await (index, time) in due.stream {
        group.addTask {
          _ = try await store.apply([messages[index]])
          let latency = Double(Ticker.now() - time)
          latencies.add(latency)
        }
      }
      try await group.waitForAll()
    }
    try await store.close()
    return 0
  }
  return latencies.all
}

/// What several tasks have measured.
private final class Latencies: Sendable {
  private let values = Mutex<[Double]>([])

  func add(_ latency: Double) { values.withLock { $0.append(latency) } }
  var all: [Double] { values.withLock { $0 } }
}

private func loopLatencies(_ count: Int) async throws -> [Double] {
  var latencies: [Double] = []
  _ = try await StoreFiles.with(.store, count: 10_000) { directory, load in
    let messages = load.messages(count)
    let loop = try PlainLoop(path: directory + "/store.db", isFull: true)
    let start = Ticker.now()
    var next = 0
    while next < count {
      Ticker.sleep(until: start + Int64(next) * pause)
      // What is due by now goes into one transaction.
      let end = min(count, max(next + 1, Int((Ticker.now() - start) / pause) + 1))
      try loop.store(messages[next..<end])
      let now = Ticker.now()
      for index in next..<end { latencies.append(Double(now - start - Int64(index) * pause)) }
      next = end
    }
    return 0
  }
  return latencies
}

extension StoreLoad {
  /// The next new messages, without what else comes.
  fileprivate mutating func messages(_ count: Int) -> [Fact] {
    var messages: [Fact] = []
    while messages.count < count {
      messages += next(256).filter { if case .message(let message) = $0 { message.evidence != .none } else { false } }
    }
    return Array(messages.prefix(count))
  }
}

extension [Double] {
  /// The value below which a part of them lies.
  fileprivate func at(_ part: Double) -> Double {
    let sorted = sorted()
    return sorted.isEmpty ? .nan : sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}

/// Calls at even distances, from a thread of its own.
private enum Ticker {
  static func start(
    count: Int, every pause: Int64, _ tick: @escaping @Sendable (Int, Int64) -> Void,
    atEnd: @escaping @Sendable () -> Void
  ) {
    let work = Work {
      let start = now()
      for index in 0..<count {
        let due = start + Int64(index) * pause
        sleep(until: due)
        tick(index, due)
      }
      atEnd()
    }
    var thread = pthread_t(bitPattern: 0)
    let argument = Unmanaged.passRetained(work).toOpaque()
    let result = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, argument)
    if result == 0 { pthread_detach(thread) } else { atEnd() }
  }

  /// Nanoseconds of a clock that never runs back.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  static func sleep(until time: Int64) {
    let rest = time - now()
    guard rest > 0 else { return }
    var pause = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
    nanosleep(&pause, nil)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
