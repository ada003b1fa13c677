import Synchronization
import Weir

/// Sends the frames of one producer through a scheduler that others use too: a stage from frames to what became of them.
///
/// Emits a report for each frame when it has ended, in the order of their ends. Waits, and with it its producer, while the class of
/// the frame in hand has no room, and while ``mostOpen`` frames have not been reported yet: give each class a sender of its own,
/// so that a file does not hold up a text. Finishes when its input has ended and every frame is reported. Cancels what waits in
/// the queues when it is cancelled; frames behind a failure of the input are still sent.
///
/// Memory: ``mostOpen`` reports.
public struct FrameSender: Process {
  /// Most frames that may be on their way: in the queues, on the air, or reported and not yet taken.
  public static let mostOpen = 1_024

  private let scheduler: RadioFrameScheduler

  /// - Parameter scheduler: has to run: by ``RadioFrameScheduler/run()``, or as a node of this or another graph.
  public init(through scheduler: RadioFrameScheduler) { self.scheduler = scheduler }

  public func run(_ input: ProcessInput<RadioFrame>, _ output: ProcessOutput<FrameReport>) async throws {
    let outlet = ReportOutlet(most: FrameSender.mostOpen)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [scheduler] in
        var failure: (any Error)?
        do {
          for try await frame in input {
            let key = scheduler.nextKey()
            guard await outlet.waitForRoom(for: key) else { break }
            _ = await scheduler.admit(frame, key: key) { outlet.tell($0, of: key) }
          }
        } catch {
          failure = error
        }
        await outlet.waitUntilEmpty()
        for key in outlet.openKeys { scheduler.change { $0.cancel(key: key, at: scheduler.clock.now) } }
        outlet.finish()
        if let failure { throw failure }
      }
      group.addTask {
        for await report in outlet.reports {
          guard await output.send(report) else { break }
          outlet.delivered()
        }
        outlet.close()
      }
      try await group.waitForAll()
    }
  }
}

extension RadioFrameScheduler: Process {
  /// As a node of a graph: drives the radio and sends what comes in, as ``FrameSender`` does for others.
  public func run(_ input: ProcessInput<RadioFrame>, _ output: ProcessOutput<FrameReport>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.run() }
      group.addTask { try await FrameSender(through: self).run(input, output) }
      defer { group.cancelAll() }
      // The radio never ends by itself: the first to end is the sender, or a failure.
      try await group.next()
    }
  }
}

/// Counts the frames on their way and hands their reports over.
private final class ReportOutlet: Sendable {
  private struct State {
    /// Frames that are not reported.
    var keys: Set<UInt64> = []
    /// Reports that are not delivered.
    var told = 0
    var open: Int { keys.count + told }
    var isClosed = false
    var waiters: [(limit: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let reports: AsyncStream<FrameReport>
  private let continuation: AsyncStream<FrameReport>.Continuation
  private let state = Mutex(State())
  private let most: Int

  init(most: Int) {
    self.most = most
    // Bounded by the frames that are let in.
    (reports, continuation) = AsyncStream.makeStream(of: FrameReport.self)
  }

  /// Waits until one more frame may be on its way.
  /// - Returns: false when nobody takes reports any more.
  func waitForRoom(for key: UInt64) async -> Bool {
    await wait(until: most - 1)
    return state.withLock { state in
      if !state.isClosed { state.keys.insert(key) }
      return !state.isClosed
    }
  }

  /// Frames on their way.
  var openKeys: Set<UInt64> { state.withLock { $0.keys } }

  func waitUntilEmpty() async { await wait(until: 0) }

  private func wait(until limit: Int) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let passes = state.withLock { state in
          if state.isClosed || state.open <= limit || Task.isCancelled { return true }
          state.waiters.append((limit, continuation))
          return false
        }
        if passes { continuation.resume() }
      }
    } onCancel: {
      close()
    }
  }

  func tell(_ report: FrameReport, of key: UInt64) {
    state.withLock { state in
      state.keys.remove(key)
      state.told += 1
    }
    continuation.yield(report)
  }

  func delivered() { wake { $0.told -= 1 } }

  func close() { wake { $0.isClosed = true } }

  func finish() { continuation.finish() }

  private func wake(_ change: (inout State) -> Void) {
    let ready = state.withLock { state in
      change(&state)
      let open = state.open
      let isClosed = state.isClosed
      let ready = state.waiters.filter { isClosed || open <= $0.limit }
      state.waiters.removeAll { isClosed || open <= $0.limit }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }
}
