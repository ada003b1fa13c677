import Weir

/// What went wrong with the radio or with what it was asked to do.
///
/// `code` is stable and meant for branching; `description` is for people and may change.
public struct RadioError: CodedError, RetryableError, Equatable, CustomStringConvertible {
  /// The kinds of failure. The raw values are the stable codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// A parameter of a modulation is outside of what the formula covers.
    case badModulation = "radio.bad-modulation"
    /// The region has no sub-band at this frequency.
    case badFrequency = "radio.bad-frequency"
    /// A frame can never be sent: too long for the modulation, for the region's longest transmission or for its window.
    case frameTooLong = "radio.frame-too-long"
    /// Options that would let nothing pass.
    case badOptions = "radio.bad-options"
    /// The modem said that a frame was not sent.
    case sendFailed = "radio.send-failed"
    /// The modem did not say in time that a frame was sent: whether it was is unknown.
    case sendTimedOut = "radio.send-timed-out"
    /// The radio is in a state that nobody knows; it has to be connected and set up anew.
    case quarantined = "radio.quarantined"
    /// Somebody else holds the radio.
    case busy = "radio.busy"
    /// The lease is over.
    case leaseEnded = "radio.lease-ended"
    /// The scheduler has stopped.
    case stopped = "radio.stopped"
    /// The file of airtime used cannot be read or written.
    case ledgerFailed = "radio.ledger-failed"
    /// The modem refused a command, or could not carry it out.
    case commandFailed = "radio.command-failed"
    /// The modem did not answer a command in time.
    case commandTimedOut = "radio.command-timed-out"
    /// The line to the modem is closed or broken.
    case linkLost = "radio.link-lost"
    /// The modem started anew: its settings may be gone.
    case modemReset = "radio.modem-reset"
    /// Something that this modem cannot be told.
    case badCommand = "radio.bad-command"
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

  public var isRetryable: Bool {
    switch kind {
    case .badModulation, .badFrequency, .frameTooLong, .badOptions, .stopped, .leaseEnded, .badCommand: false
    case .sendFailed, .sendTimedOut, .quarantined, .busy, .ledgerFailed, .commandFailed, .commandTimedOut, .linkLost,
      .modemReset:
      true
    }
  }
}
