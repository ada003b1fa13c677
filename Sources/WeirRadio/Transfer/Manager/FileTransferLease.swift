/// How a transfer leaves the radio.
public enum FileTransferRadioState: Sendable, Hashable {
  /// As it was before: others may have it at once.
  case restored
  /// In a state that nobody knows: nobody may have it until it has been connected, authenticated and set up anew.
  case quarantined
}

/// The radio for a transfer alone, for as long as it lasts.
public protocol FileTransferRadioLease: Sendable {
  /// Gives the radio back. Called once.
  func end(_ state: FileTransferRadioState) async

  /// Whether others have waited for the radio long enough: the transfer then puts it back, lets them have it, and asks for it
  /// again. False unless said.
  var isYieldRequested: Bool { get }

  /// Time until the next frame may be sent, where a region's budget is used up: what the other end is told to wait. Zero unless
  /// said.
  var timeToNextTransmission: Duration { get }
}

extension FileTransferRadioLease {
  public var isYieldRequested: Bool { false }
  public var timeToNextTransmission: Duration { .zero }
}

/// Waits until the radio is free and takes it; ends the wait when its task is cancelled.
///
/// Throws ``RadioError`` `busy` or `quarantined`, or ``FileTransferError/busy``, where it is not to be had; `CancellationError` when
/// the wait was cancelled.
public typealias FileTransferRadioLeaseAcquisition = @Sendable () async throws -> any FileTransferRadioLease
