import Synchronization
import Weir

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One end of one transfer at work: takes the radio, sets it up, does what the machine wants, puts the radio back and gives it
/// away.
///
/// Meant to run in a task of its own that nobody cancels: whoever gives up says so by ``cancel()``, so that the radio is put back
/// all the same.
final class TransferRun: Sendable {
  /// What it tells on its way. Told under the lock, in order: whoever is told takes notes and nothing else.
  enum Report: Sendable {
    case started(totalBytes: Int)
    case progress(done: Int, of: Int, isWeak: Bool)
    case message([UInt8])
  }

  struct End: Sendable {
    let ending: TransferEnding
    let restoration: FileTransferRestoration
    let counts: TransferCounts
    let partial: TransferPartial?
    var result: FileTransferResult {
      var refusal: TransferRefusal?
      if case .refused(let reason) = ending { refusal = reason }
      return FileTransferResult(ending.outcome, restoration, refusal: refusal, counts: counts)
    }
  }

  private struct State {
    var machine: (any TransferMachine)?
    var fallback: (@Sendable () throws -> any TransferMachine)?
    var sends: [[UInt8]] = []
    var leave: Duration?
    var isProbeDue = false
    var isCheckpointDue = false
    var hasBegun = false
    var hasStarted = false
    var isCancelled = false
    var ending: TransferEnding?
    /// Ends a wait or a command that nobody needs any more.
    var interrupt: (@Sendable () -> Void)?
  }

  private enum Step {
    case send([UInt8])
    case leave(Duration)
    case probe
    case checkpoint(TransferPartial)
    case wait(Duration?)
    case over(TransferEnding)
  }

  private let options: FileTransferOptions
  private let transport: any FileTransferTransport
  private let acquire: FileTransferRadioLeaseAcquisition
  private let report: @Sendable (Report) -> Void
  private let state: Mutex<State>
  private let bell = Bell()
  private let make: (@Sendable () throws -> any TransferMachine)?

  /// - Parameters:
  ///   - machine: the end; nil to make it once the run begins.
  ///   - fallback: what to go on with when nobody answers the first.
  init(
    _ options: FileTransferOptions, _ transport: any FileTransferTransport,
    _ acquire: @escaping FileTransferRadioLeaseAcquisition, machine: (any TransferMachine)? = nil,
    make: (@Sendable () throws -> any TransferMachine)? = nil,
    fallback: (@Sendable () throws -> any TransferMachine)? = nil, report: @escaping @Sendable (Report) -> Void
  ) {
    self.options = options
    self.transport = transport
    self.acquire = acquire
    self.report = report
    self.make = make
    state = Mutex(State(machine: machine, fallback: fallback))
  }

  // MARK: From outside

  /// What tells its frames from others, also when it is over: late copies are known as such.
  var credentials: TransferCredentials? { state.withLock { $0.machine?.credentials } }

  /// Whether the other end has taken part.
  var hasStarted: Bool { state.withLock { $0.hasStarted } }

  /// Under what a part of it would be kept.
  var partialKey: TransferPartial.Key? { state.withLock { $0.machine?.partialKey } }

  func hear(_ packet: TransferPacket, _ signal: TransferSignal) { tell(.heard(packet, signal)) }

  func hearForeign(_ time: Duration) { tell(.heardForeign(time)) }

  func say(_ message: [UInt8]) { tell(.said(message)) }

  func supersede() { tell(.superseded) }

  /// Gives up: at once where nothing has been sent, else as soon as the other end knows or had the chance to.
  func cancel() {
    let interrupt = state.withLock { state in
      state.isCancelled = true
      return state.interrupt
    }
    interrupt?()
    tell(.cancelled, onlyBegun: true)
  }

  // MARK: The run

  func run() async -> End {
    let lease: any FileTransferRadioLease
    switch await interruptible(acquire) {
    case .success(let acquired): lease = acquired
    case .failure(let error):
      return end(isCancelled ? .cancelledLocal : .failed(FileTransferError(acquisition: error)), .notRequired)
    case nil: return end(.cancelledLocal, .notRequired)
    }
    var holder = Holder(lease: lease, setup: RadioSetup(transport, options.settings, timeout: options.commandTimeout))
    let ending = await work(&holder)
    state.withLock { $0.ending = ending }
    let restoration = await holder.giveBack()
    return end(ending, restoration)
  }

  private func end(_ ending: TransferEnding, _ restoration: FileTransferRestoration) -> End {
    state.withLock { state in
      state.ending = ending
      return End(
        ending: ending, restoration: restoration, counts: state.machine?.counts ?? TransferCounts(),
        partial: state.machine?.partial)
    }
  }

  private var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The lease and what was changed under it.
  private struct Holder {
    var lease: (any FileTransferRadioLease)?
    var setup: RadioSetup

    /// Puts the radio back and ends the lease, once.
    mutating func giveBack() async -> FileTransferRestoration {
      guard let lease else { return .notRequired }
      self.lease = nil
      let restoration = await setup.restore()
      if case .failed = restoration {
        await lease.end(.quarantined)
      } else {
        await lease.end(.restored)
      }
      return restoration
    }
  }

  private func work(_ holder: inout Holder) async -> TransferEnding {
    if let failure = await prepare(&holder) { return failure }
    if state.withLock({ $0.machine == nil }) {
      do {
        let machine = try make?()
        state.withLock { $0.machine = machine }
      } catch {
        return .failed(error as? FileTransferError ?? .internalFailure("\(error)"))
      }
    }
    if isCancelled { return .cancelledLocal }
    tell(.began)
    if isCancelled { tell(.cancelled) }
    while true {
      switch nextStep() {
      case .over(let ending):
        guard ending == .failed(.timeout), startFallback() else { return ending }
        tell(.began)
      case .send(let bytes): await send(bytes, &holder)
      case .probe:
        do { try await holder.setup.verify() } catch { tell(.radioFailed("\(FileTransferError(transport: error))")) }
      case .checkpoint(let partial): try? options.partials?.save(partial)
      case .leave(let time): await leave(time, &holder)
      case .wait(let wake):
        await bell.wait(until: wake, options.clock)
        tell(.woke)
      }
    }
  }

  /// Another machine takes the place of one that nobody has answered.
  private func startFallback() -> Bool {
    state.withLock { state in
      guard !state.hasStarted, !state.isCancelled, let machine = try? state.fallback?() else { return false }
      state.fallback = nil
      state.machine = machine
      state.ending = nil
      return true
    }
  }

  /// - Returns: how the transfer ends where the radio can not be set up, or nobody wants it any more.
  private func prepare(_ holder: inout Holder) async -> TransferEnding? {
    let setup = holder.setup
    let prepared = await interruptible {
      var setup = setup
      do {
        try await setup.prepare()
        return (setup, nil as (any Error)?)
      } catch {
        return (setup, error)
      }
    }
    guard case .success(let (changed, error)) = prepared else { return .cancelledLocal }
    holder.setup = changed
    guard let error else { return nil }
    note(error, &holder)
    return isCancelled ? .cancelledLocal : .failed(FileTransferError(transport: error))
  }

  private func send(_ bytes: [UInt8], _ holder: inout Holder) async {
    do {
      let timeout = options.pacing.sendTimeout(bytes: bytes.count)
      try await transport.sendRfPayload(Data(bytes), timeoutMs: timeout)
      if let wait = holder.lease?.timeToNextTransmission { tell(.heldBack(wait)) }
      tell(.sent)
    } catch {
      note(error, &holder)
      let kind = (error as? RadioError)?.kind
      let isPassing = kind == nil || kind == .sendFailed || kind == .sendTimedOut || kind == .busy
      tell(.notSent(reason: "\(error)", isRadioLost: !isPassing))
    }
    if let lease = holder.lease, lease.isYieldRequested { tell(.wantsPause(options.pause)) }
  }

  private func note(_ error: any Error, _ holder: inout Holder) {
    if let error = error as? RadioError, error.kind == .modemReset {
      holder.setup.doubt("the modem started anew during the transfer; settings that were not read may be lost")
    }
  }

  /// Lets others have the radio.
  private func leave(_ time: Duration, _ holder: inout Holder) async {
    if case .failed(let error) = await holder.giveBack() {
      tell(.radioFailed("\(error)"))
      return
    }
    let until = options.clock.now + time
    while options.clock.now < until, !isCancelled { await bell.wait(until: until, options.clock) }
    do {
      holder.lease = try await acquire()
      holder.setup = RadioSetup(transport, options.settings, timeout: options.commandTimeout)
      try await holder.setup.prepare()
      tell(.returned)
    } catch {
      tell(.radioFailed("\(FileTransferError(transport: error))"))
    }
  }

  // MARK: The machine

  private func tell(_ event: TransferEvent, onlyBegun: Bool = false) {
    state.withLock { state in
      guard state.ending == nil, var machine = state.machine, !onlyBegun || state.hasBegun else { return }
      if case .began = event { state.hasBegun = true }
      let actions = machine.handle(event, at: options.clock.now)
      state.machine = machine
      for action in actions { note(action, &state) }
    }
    // A wake-up of its own is no reason for another.
    if case .woke = event { return }
    bell.ring()
  }

  private func note(_ action: TransferAction, _ state: inout State) {
    let isWeak = state.machine?.isWeak ?? false
    switch action {
    case .send(let bytes): state.sends.append(bytes)
    case .started(let total):
      state.hasStarted = true
      report(.started(totalBytes: total))
    case .progress(let done, let total): report(.progress(done: done, of: total, isWeak: isWeak))
    case .heardMessage(let bytes): report(.message(bytes))
    case .probe: state.isProbeDue = true
    case .checkpoint: state.isCheckpointDue = true
    case .leave(let time): state.leave = time
    case .finish(let ending): state.ending = ending
    }
  }

  private func nextStep() -> Step {
    state.withLock { state in
      if let ending = state.ending { return .over(ending) }
      if let time = state.leave {
        state.leave = nil
        return .leave(time)
      }
      if !state.sends.isEmpty { return .send(state.sends.removeFirst()) }
      if state.isProbeDue {
        state.isProbeDue = false
        return .probe
      }
      if state.isCheckpointDue {
        state.isCheckpointDue = false
        if options.partials != nil, let partial = state.machine?.partial { return .checkpoint(partial) }
      }
      return .wait(state.machine?.wake)
    }
  }

  /// Does something that ``cancel()`` interrupts; nil when it was cancelled before.
  private func interruptible<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? {
    let task = Task(executorPreference: options.executor) { try await body() }
    let isCancelled = state.withLock { state in
      state.interrupt = { task.cancel() }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    defer { state.withLock { $0.interrupt = nil } }
    return await task.result
  }
}
