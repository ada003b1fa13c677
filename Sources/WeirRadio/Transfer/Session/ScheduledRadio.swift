import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A modem whose air is shared by a scheduler, as file transfer wants it: frames go through the scheduler's lease, so that they count
/// in the window of the region, and everybody else waits meanwhile.
///
///     let radio = ScheduledRadio(modem, scheduler, flow: "22")
///     let manager = FileTransferManager(transport: radio, acquireRadioLease: radio.acquire, options: options)
public final class ScheduledRadio: FileTransferTransport {
  private let modem: ATModem
  private let scheduler: RadioFrameScheduler
  private let flow: String
  private let hold: Duration
  private let channelOfRate: @Sendable (String) -> RadioChannel?
  private let lease = Mutex<RadioLease?>(nil)

  /// - Parameters:
  ///   - modem: has to run, and be the radio of the scheduler.
  ///   - scheduler: has to run.
  ///   - flow: the peer: urgent frames to it do not make the lease yield.
  ///   - hold: the longest time for a transfer, after which the radio counts as quarantined.
  ///   - channelOfRate: where and how the modem sends at a value of `RATE`; nil where that changes nothing.
  public init(
    _ modem: ATModem, _ scheduler: RadioFrameScheduler, flow: String, hold: Duration = .seconds(4 * 3_600),
    channelOfRate: @escaping @Sendable (String) -> RadioChannel? = { _ in nil }
  ) {
    self.modem = modem
    self.scheduler = scheduler
    self.flow = flow
    self.hold = hold
    self.channelOfRate = channelOfRate
  }

  /// Waits for the radio and takes it.
  /// - Throws: ``RadioError`` `quarantined`, `stopped`.
  @Sendable public func acquire() async throws -> any FileTransferRadioLease {
    let new = try await scheduler.lease(for: flow, hold: hold)
    lease.withLock { $0 = new }
    return ScheduledLease(radio: self, lease: new, scheduler: scheduler)
  }

  public func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] {
    let lines = try await modem.runAtCommand(command, timeoutMs: timeoutMs, log: log)
    if command.hasPrefix("AT+RATE="), let channel = channelOfRate(String(command.dropFirst(8))) {
      modem.channel = channel
    }
    return lines
  }

  /// Waits for the window of the region, too, whatever the timeout says: that wait is the scheduler's.
  public func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws {
    guard let lease = lease.withLock({ $0 }) else { throw RadioLease.ended }
    let bytes = Array(payload)
    let type = TransferHeader(shapeOf: bytes)?.type
    try await lease.send(bytes, type == .data ? .file : .control, on: modem.channel)
  }

  fileprivate func forget() { lease.withLock { $0 = nil } }
}

private struct ScheduledLease: FileTransferRadioLease {
  let radio: ScheduledRadio
  let lease: RadioLease
  let scheduler: RadioFrameScheduler

  func end(_ state: FileTransferRadioState) async {
    radio.forget()
    switch state {
    case .restored: lease.end(.restored)
    case .quarantined: lease.end(.quarantined(reason: "a transfer could not put the radio back as it was"))
    }
  }

  var isYieldRequested: Bool { lease.isYieldRequested }

  var timeToNextTransmission: Duration {
    scheduler.snapshot().windows.compactMap(\.untilPermit).max() ?? .zero
  }
}
