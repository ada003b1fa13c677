#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far a transfer is.
public struct FileTransferProgress: Sendable, Equatable {
  /// 0 to 1; never falls, and is 1 only when the last byte is there.
  public let fractionCompleted: Double
  /// Bytes of the file.
  public let totalBytes: Int
  /// Whether the other end is heard badly; false while sending.
  public let weakSignal: Bool
}

/// What a transfer tells its host: on the main actor, one after the other.
///
/// A receive that was accepted tells `receiveStarted`, any number of `receiveProgress`, and one `receiveFinished`, after which
/// nothing comes.
public enum FileTransferEvent: Sendable {
  /// More of the file has arrived at the other end, or, in P1, was confirmed by the modem.
  case sendProgress(FileTransferProgress)
  /// A file begins: from whom, and how many bytes.
  case receiveStarted(source: UInt8, totalBytes: Int)
  /// More of it is here.
  case receiveProgress(FileTransferProgress)
  /// It has ended. There is data only where the outcome is a success, and then all of it.
  case receiveFinished(source: UInt8, data: Data?, result: FileTransferResult)
}

/// How a frame was heard.
public struct FileTransferInboundMetadata: Sendable, Hashable {
  /// Signal to noise in dB; nil where the modem does not tell it.
  public var snr: Double?
  /// Strength in dBm; nil where the modem does not tell it.
  public var rssiDbm: Int?

  /// As far as it is known.
  public init(snr: Double? = nil, rssiDbm: Int? = nil) {
    self.snr = snr
    self.rssiDbm = rssiDbm
  }
}

/// Whose a frame is that was heard.
public enum FileTransferOwnership: Sendable, Equatable {
  /// No frame of a transfer: another protocol may look at it.
  case notOwned
  /// A transfer has used it: nobody else may.
  case consumed
  /// A frame of a transfer that was dropped: nobody else may use it either. The error is for diagnosis.
  case rejected(FileTransferError)
}
