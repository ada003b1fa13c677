/// How a transfer ended.
public enum FileTransferOutcome: Sendable, Equatable {
  /// The file is there, whole. In P1 this says no more than that the modem has confirmed every frame.
  case success
  /// This end gave up, because somebody wanted it.
  case cancelledLocal
  /// The other end gave up, because somebody wanted it.
  case cancelledRemote
  /// It failed.
  case failure(FileTransferError)
}

/// What became of the settings of the radio.
public enum FileTransferRestoration: Sendable, Equatable {
  /// Nothing was changed.
  case notRequired
  /// Everything that had been read was written back, and read again.
  case restored
  /// Something could not be put back; the radio is quarantined, whatever the outcome.
  case failed(FileTransferError)
}

/// The end of a transfer: how it went, and how the radio was left.
public struct FileTransferResult: Sendable, Equatable {
  /// How it ended.
  public let outcome: FileTransferOutcome
  /// How the radio was left.
  public let restoration: FileTransferRestoration
  /// Why the receiver did not take the file, where it said so. The outcome is `failure(.busy)` for `busy`, and
  /// `failure(.transport)` with the reason in words otherwise.
  public let refusal: TransferRefusal?
  /// How it went, in frames; zero for a receiver.
  public let counts: TransferCounts

  init(
    _ outcome: FileTransferOutcome, _ restoration: FileTransferRestoration, refusal: TransferRefusal? = nil,
    counts: TransferCounts = TransferCounts()
  ) {
    self.outcome = outcome
    self.restoration = restoration
    self.refusal = refusal
    self.counts = counts
  }
}

extension TransferEnding {
  /// What the host is told.
  var outcome: FileTransferOutcome {
    switch self {
    case .sent, .received: .success
    case .cancelledLocal: .cancelledLocal
    case .cancelledRemote: .cancelledRemote
    case .failed(let error): .failure(error)
    case .refused(.busy): .failure(.busy)
    case .refused(let refusal): .failure(.transport("the receiver does not take the file: \(refusal)"))
    }
  }
}
