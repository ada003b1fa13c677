import Weir

/// Why a transfer, or a frame of one, was not what somebody wanted.
///
/// `code` is stable and meant for branching; `description` is for people and may change.
public enum FileTransferError: CodedError, RetryableError, Equatable, CustomStringConvertible {
  /// A file has not 1 to 524,287 bytes. Change it; another try is in vain.
  case invalidDataLength
  /// A control key has not 16 bytes. Change it; another try is in vain.
  case invalidControlKey
  /// A frame that begins a transfer is for another station, or a station would send to itself.
  case invalidTarget
  /// Connect the modem first.
  case notConnected
  /// Authenticate with the modem first.
  case notAuthenticated
  /// A file is being sent or received already, or somebody else has the radio. Try later.
  case busy
  /// A frame says what no frame may say. It was dropped.
  case protocolMalformed
  /// A checksum is wrong: of a frame, which was dropped, or of a whole file.
  case crcMismatch
  /// There is no key, or another key made this. It was dropped.
  case cryptoFailure
  /// Nothing was heard for too long. Look after the signal and let a person try again.
  case timeout
  /// Too many tries without any progress. Look after the signal and let a person try again.
  case retryExceeded
  /// The modem, or the way to it, failed, with its own reason. Most often it has to be connected anew.
  case transport(String)
  /// A failure within, which should not happen. Keep the log, and what led to it.
  case internalFailure(String)

  public var code: String {
    switch self {
    case .invalidDataLength: "file-transfer.invalid-data-length"
    case .invalidControlKey: "file-transfer.invalid-control-key"
    case .invalidTarget: "file-transfer.invalid-target"
    case .notConnected: "file-transfer.not-connected"
    case .notAuthenticated: "file-transfer.not-authenticated"
    case .busy: "file-transfer.busy"
    case .protocolMalformed: "file-transfer.protocol-malformed"
    case .crcMismatch: "file-transfer.crc-mismatch"
    case .cryptoFailure: "file-transfer.crypto-failure"
    case .timeout: "file-transfer.timeout"
    case .retryExceeded: "file-transfer.retry-exceeded"
    case .transport: "file-transfer.transport"
    case .internalFailure: "file-transfer.internal-failure"
    }
  }

  /// True where the same may go well later.
  public var isRetryable: Bool {
    switch self {
    case .busy, .crcMismatch, .timeout, .retryExceeded, .transport: true
    default: false
    }
  }

  public var description: String {
    switch self {
    case .invalidDataLength: "\(code): a file has 1 to 524,287 bytes"
    case .invalidControlKey: "\(code): a control key has 16 bytes"
    case .invalidTarget: "\(code): the target is another station, or the sender itself"
    case .notConnected: "\(code): connect the modem first"
    case .notAuthenticated: "\(code): authenticate with the modem first"
    case .busy: "\(code): a transfer is under way, or somebody else has the radio; try later"
    case .protocolMalformed: "\(code): a frame says what no frame may say"
    case .crcMismatch: "\(code): a checksum is wrong"
    case .cryptoFailure: "\(code): there is no key for it, or another key made it"
    case .timeout: "\(code): nothing was heard for too long; look after the signal"
    case .retryExceeded: "\(code): too many tries without progress; look after the signal"
    case .transport(let reason): "\(code): \(reason)"
    case .internalFailure(let reason): "\(code): \(reason)"
    }
  }

  /// What a refused frame is to the host.
  init(_ error: TransferError) {
    switch error.kind {
    case .invalidDataLength: self = .invalidDataLength
    case .invalidControlKey: self = .invalidControlKey
    case .invalidTarget: self = .invalidTarget
    case .crcMismatch: self = .crcMismatch
    case .cryptoFailure: self = .cryptoFailure
    case .protocolMalformed: self = .protocolMalformed
    }
  }
}
