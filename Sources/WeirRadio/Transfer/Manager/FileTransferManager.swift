import Weir

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends and receives files over a radio, one at a time.
///
/// It takes the radio for itself before its first AT command, and gives it back when the last of its settings has been put back.
/// It authenticates and hides nothing: whoever listens can read a file; encrypt sensitive content before. Of every payload that is
/// heard tell ``handleInbound(_:metadata:localShortID:controlKeyForSource:)``.
///
/// Memory: the file, twice while it is sent in P2 or put together; two parts of files for a day; events that nobody has looked at,
/// of which progress is one.
public final class FileTransferManager: Sendable {
  let options: FileTransferOptions
  let transport: any FileTransferTransport
  let acquireRadioLease: FileTransferRadioLeaseAcquisition
  let line = EventLine()
  let desk: TransferDesk
  let arrivals = ArrivalDesk()

  /// - Parameters:
  ///   - transport: the modem.
  ///   - acquireRadioLease: takes the radio for a transfer alone, before anything else.
  ///   - options: how it works.
  public init(
    transport: any FileTransferTransport, acquireRadioLease: @escaping FileTransferRadioLeaseAcquisition,
    options: FileTransferOptions = FileTransferOptions()
  ) {
    self.transport = transport
    self.acquireRadioLease = acquireRadioLease
    self.options = options
    var partials = TransferPartials()
    for partial in options.partials?.load() ?? [] { partials.keep(partial, at: options.clock.now) }
    desk = TransferDesk(partials)
  }

  /// Told what happens, on the main actor, one event after the other; nil for nobody. How long it takes holds up no transfer.
  public var onEvent: (@MainActor @Sendable (FileTransferEvent) -> Void)? {
    get { line.onEvent }
    set { line.onEvent = newValue }
  }

  /// Told chat that came with a file in P2: from whom, and what. On the main actor, in line with the events.
  public var onMessage: (@MainActor @Sendable (UInt8, Data) -> Void)? {
    get { line.onMessage }
    set { line.onMessage = newValue }
  }

  // MARK: Sending

  /// Sends a file; returns when it has ended and the radio is back as it was. Never throws: all is in the result.
  ///
  /// Cancelling the task gives up as ``cancelSend()`` does. While another file is under way: `failure(.busy)` at once, and nothing
  /// happens to that one.
  public func send(_ request: FileTransferSendRequest) async -> FileTransferResult {
    switch options.readiness() {
    case .ready: break
    case .notConnected: return FileTransferResult(.failure(.notConnected), .notRequired)
    case .notAuthenticated: return FileTransferResult(.failure(.notAuthenticated), .notRequired)
    }
    let run = makeRun(request)
    guard let ticket = desk.open(.send(run)) else { return FileTransferResult(.failure(.busy), .notRequired) }
    let task = Task(executorPreference: options.executor) { await run.run() }
    let end = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      run.cancel()
    }
    desk.close(ticket, run.credentials)
    return end.result
  }

  private func makeRun(_ request: FileTransferSendRequest) -> TransferRun {
    let options = options
    let (source, target, key) = (request.sourceShortID, request.targetShortID, request.key)
    let makePhy: @Sendable () throws -> any TransferMachine = {
      try PhySender(
        Array(request.data), from: source, to: target, key: key, pacing: options.pacing, nonce: options.nonce())
    }
    let makeBurst: @Sendable () throws -> any TransferMachine = {
      try BurstSender(
        TransferContent(Array(request.data)), from: source, to: target, key: key, pacing: options.pacing,
        nonce: options.nonce())
    }
    let isBurst = options.version == .burstSack
    return TransferRun(
      options, transport, acquireRadioLease, make: isBurst ? makeBurst : makePhy,
      fallback: isBurst && options.fallsBack ? makePhy : nil
    ) { [line] report in
      switch report {
      case .started: break
      case .progress(let done, let total, _):
        let fraction = Double(done) / Double(max(1, total))
        line.push(
          .event(
            .sendProgress(
              FileTransferProgress(fractionCompleted: fraction, totalBytes: request.data.count, weakSignal: false))))
      case .message(let bytes): line.push(.message(source: target, Data(bytes)))
      }
    }
  }

  /// Gives up the file that is being sent. ``send(_:)`` returns once the other end knows, or had the chance to.
  /// - Returns: whether one was being sent.
  public func cancelSend() -> Bool {
    guard case .send(let run) = desk.active else { return false }
    run.cancel()
    return true
  }

  /// Gives up the file that is being received; returns when all is cleared away and the radio is back as it was.
  /// - Returns: whether one was being received.
  public func cancelReceive() async -> Bool {
    guard case .receive(let run, _, _) = desk.active else { return false }
    run.cancel()
    await desk.waitUntilClosed(run)
    return true
  }

  // MARK: Chat

  /// Says something to the other end of the transfer that is under way in P2, between its chunks. It may get lost: nobody
  /// confirms it. The sender of a file says it at once, its receiver when it is its turn.
  /// - Parameter message: 1 byte to what a frame holds besides its header of 19.
  /// - Returns: false where there is no transfer, or the message is too long: it was not sent.
  public func sendMessage(_ message: Data) -> Bool {
    let most = options.pacing.frameLimit - TransferFraming.controlOverhead
    guard 1...max(1, min(most, TransferMessage.maximumLength)) ~= message.count, let run = desk.active?.run,
      run.credentials?.version == .burstSack
    else { return false }
    run.say(Array(message))
    return true
  }
}
