import Foundation
import Synchronization
import Weir
import WeirRadio

/// A modem on a terminal, and what transfers files over it.
final class TransferStation: Sendable {
  static let port = CommandOption<String?>.text("port", short: "p", "TTY", "The modem's terminal. Needed.")
  static let profile = CommandOption<String>.choice(
    "profile", "WHAT", of: ["p2", "p1"],
    "p2: the receiver reports what is missing. p1: it is silent, and only the modem's word counts.")

  static let burst = CommandOption<Int>.integer(
    "burst", "N", 1...240, default: 60,
    "Most frames between two reports of what is missing: what a loss of power costs. Each report costs some air.")
  static let descriptions = [port.description, profile.description, burst.description]

  let manager: FileTransferManager
  let clock: GraphClock
  private let modem: ATModem
  private let quietTime: Duration
  private let signals = Mutex<(rssi: Int?, snr: Double?)>((nil, nil))

  /// Opens the terminal of a modem.
  /// - Parameter partials: the folder in which parts of files are kept; nil for none.
  init(_ arguments: ParsedArguments, partials: String?) throws {
    let line = try RadioLineOptions(arguments)
    guard let path = arguments[Self.port] else {
      throw UsageError(code: "usage.missing-option", message: "--port is missing", path: arguments.path)
    }
    clock = line.speed > 1 ? GraphClock(ScaledClock(factor: line.speed)) : GraphClock.continuous
    quietTime = line.dialect.answerTime
    do throws(RadioError) {
      modem = ATModem(
        try TerminalPort(path: path, baud: line.baud),
        ATModem.Options(line.dialect, baud: line.baud, channel: line.channel([:])), clock: clock)
    } catch {
      throw RadioFailure(error)
    }
    var pacing = TransferPacing(line.modulation, maximumFrame: line.dialect.maximumPayload, baud: line.baud)
    pacing.mostBurst = arguments[Self.burst]
    pacing.longestTransmission = RadioRegion.cn470.subBands.first?.longestTransmission
    var options = FileTransferOptions(pacing: pacing, settings: line.dialect == .turMass ? .turMass : nil)
    options.clock = clock
    options.version = arguments[Self.profile] == "p1" ? .phyAck : .burstSack
    options.partials = partials.map { TransferPartialFolder(path: $0) }
    // The terminal is locked, so that nobody else has the modem.
    manager = FileTransferManager(transport: modem, acquireRadioLease: { OwnModem() }, options: options)
  }

  /// Runs a body beside the modem, whose frames go to the manager.
  func run<Value: Sendable>(
    as local: UInt8, key: [UInt8], rejected: @escaping @Sendable (FileTransferError) -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let key = Data(key)
    do {
      return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { [modem] in
          try await modem.run()
          return nil
        }
        group.addTask { [self] in
          for await frame in modem.received {
            signals.withLock { $0 = (frame.rssi, frame.snr) }
            let owner = manager.handleInbound(
              Data(frame.payload), metadata: .init(snr: frame.snr, rssiDbm: frame.rssi), localShortID: local,
              controlKeyForSource: { _ in key })
            if case .rejected(let error) = owner { rejected(error) }
          }
          return nil
        }
        group.addTask { [self] in
          // What the modem still says to an earlier program, and half a command that one left behind, are got rid of first.
          try await clock.sleep(for: quietTime)
          try await modem.recover()
          return try await body()
        }
        defer { group.cancelAll() }
        while let value = try await group.next() {
          if let value { return value }
        }
        throw CancellationError()
      }
    } catch let error as RadioError {
      throw RadioFailure(error)
    }
  }

  /// How the last frame was heard; nil before the first.
  var signal: String? {
    let (rssi, snr) = signals.withLock { $0 }
    let parts = [rssi.map { "\($0) dBm" }, snr.map { "SNR \(Int($0.rounded())) dB" }].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  var signalNumbers: (rssi: Int?, snr: Double?) { signals.withLock { $0 } }
}

/// The modem of a command that has its terminal for itself.
private struct OwnModem: FileTransferRadioLease {
  func end(_ state: FileTransferRadioState) async {}
}
