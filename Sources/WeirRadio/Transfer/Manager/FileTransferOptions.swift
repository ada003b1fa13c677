import Weir

/// The settings of the modem during a transfer. There are no others that a transfer writes.
public struct FileTransferRadioSettings: Sendable, Hashable {
  /// Value of `WORKMODE`; nil to leave it as it is.
  public var workMode: String?
  /// Value of `ADDTL`; nil to leave it as it is.
  public var additional: String?
  /// Value of `RATE`; nil to leave it as it is.
  public var rate: String?
  /// Value of `ANYRATELEN`, of which no old value can be read; nil to leave it as it is.
  public var anyRateLength: String?

  /// Values as the modem writes them.
  public init(
    workMode: String? = nil, additional: String? = nil, rate: String? = nil, anyRateLength: String? = nil
  ) {
    self.workMode = workMode
    self.additional = additional
    self.rate = rate
    self.anyRateLength = anyRateLength
  }

  /// TurMass modems at their fastest rate, with frames of 600 bytes. What `ADDTL` means is published nowhere; it is left as it is.
  public static let turMass = FileTransferRadioSettings(workMode: "82", rate: "18", anyRateLength: "600")
}

/// Whether a modem can be used.
public enum FileTransferReadiness: Sendable, Hashable {
  /// Connected and authenticated.
  case ready
  /// There is no modem.
  case notConnected
  /// The modem does not know who we are yet.
  case notAuthenticated
}

/// How a manager works. The defaults are those of a TurMass modem at its fastest rate.
public struct FileTransferOptions: Sendable {
  /// How files are sent: P2 with bursts and reports of what is missing, or P1 with a silent receiver. Both are received.
  public var version: TransferVersion = .burstSack
  /// Whether a file that is offered in P2 and not answered is sent in P1 instead, which proves less. Never unless said.
  public var fallsBack = false
  /// How long things take.
  public var pacing: TransferPacing
  /// How the modem is set up for a transfer; nil for modems that have nothing to set up, which then get no AT command.
  public var settings: FileTransferRadioSettings?
  /// Until an AT command counts as failed.
  public var commandTimeout: Duration = .seconds(2)
  /// Time for every wait.
  public var clock: GraphClock = .continuous
  /// Where transfers run; nil for the default.
  public var executor: (any TaskExecutor)?
  /// Asked before each send.
  public var readiness: @Sendable () -> FileTransferReadiness = { .ready }
  /// Asked before a file is received, with its source and its bytes: why it is not taken, or nil. Must not wait.
  public var admission: @Sendable (_ source: UInt8, _ bytes: Int) -> TransferRefusal? = { _, _ in nil }
  /// Numbers of which none comes twice.
  public var nonce: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// How long others have the radio when a transfer lets them.
  public var pause: Duration = .seconds(5)
  /// Where parts of files are kept that a later try goes on with, over a restart too; nil for in memory alone.
  public var partials: TransferPartialFolder?

  /// - Parameters:
  ///   - pacing: how long things take on this radio.
  ///   - settings: how the modem is set up for a transfer.
  public init(pacing: TransferPacing = .turMass, settings: FileTransferRadioSettings? = .turMass) {
    self.pacing = pacing
    self.settings = settings
  }
}

extension TransferPacing {
  /// A TurMass modem at rate 18: 82,500 bit/s, frames of 600 bytes, on a line of 115,200 bit/s (radio study, section 0).
  public static let turMass = TransferPacing(.bitRate(.turMassRate18))
}
