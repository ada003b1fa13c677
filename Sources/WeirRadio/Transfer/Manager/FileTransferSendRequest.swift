#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file that is to be sent, to whom, and under which key.
///
/// The key authenticates and hides nothing: whoever listens can read the file. Encrypt sensitive content before.
public struct FileTransferSendRequest: Sendable {
  /// Most bytes of a file: its length has 19 bits.
  public static let maximumLength = TransferGeometry.maximumLength

  /// The content, 1 to 524,287 bytes.
  public let data: Data
  /// The station that sends.
  public let sourceShortID: UInt8
  /// The station that is to receive.
  public let targetShortID: UInt8
  let key: ControlKey

  /// A request that can be sent.
  /// - Parameter controlKey: the secret of the two stations, exactly 16 bytes.
  /// - Throws: ``FileTransferError`` `invalidDataLength`, `invalidControlKey`; `invalidTarget` when source and target are the same.
  public init(
    data: Data, sourceShortID: UInt8, targetShortID: UInt8, controlKey: Data
  ) throws(FileTransferError) {
    guard TransferGeometry.isValid(length: data.count) else { throw .invalidDataLength }
    guard let key = try? ControlKey(controlKey) else { throw .invalidControlKey }
    guard sourceShortID != targetShortID else { throw .invalidTarget }
    self.data = data
    self.sourceShortID = sourceShortID
    self.targetShortID = targetShortID
    self.key = key
  }
}
