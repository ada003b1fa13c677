import Weir

/// What is wrong with a frame of a file transfer, or with what was to be sent.
///
/// `code` is stable and meant for branching; `description` is for people and may change.
public struct TransferError: CodedError, RetryableError, Equatable, CustomStringConvertible {
  /// The kinds of failure. The raw values are the stable codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// A file, chunk, text or frame is too short or too long to be sent.
    case invalidDataLength = "transfer.invalid-data-length"
    /// A control key has not 16 bytes.
    case invalidControlKey = "transfer.invalid-control-key"
    /// A frame is for another station, or says that a station talks to itself.
    case invalidTarget = "transfer.invalid-target"
    /// The checksum of a frame is wrong: it was damaged on the air.
    case crcMismatch = "transfer.crc-mismatch"
    /// Nobody with the right key made this frame for this session, or there is no key for it.
    case cryptoFailure = "transfer.crypto-failure"
    /// A frame says what no frame of its kind may say.
    case protocolMalformed = "transfer.protocol-malformed"
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// What is wrong and what to do.
  public let message: String

  /// A failure of a kind, with words for people.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var code: String { kind.rawValue }
  public var description: String { "\(kind.rawValue): \(message)" }

  /// True for what another try may not meet again: damage on the air.
  public var isRetryable: Bool { kind == .crcMismatch }

  static func malformed(_ message: String) -> TransferError { TransferError(.protocolMalformed, message) }
}
