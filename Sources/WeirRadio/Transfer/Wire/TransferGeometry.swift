/// How a content falls into chunks.
public struct TransferGeometry: Sendable, Equatable {
  /// The longest content, in bytes: its length has 19 bits.
  public static let maximumLength = 524_287
  /// The shortest chunk that may be agreed, in bytes. The last of a content may be shorter.
  public static let minimumChunk = 16
  /// The longest chunk, in bytes: what fits into the longest frame.
  public static let maximumChunk = TransferFraming.maximumLength - TransferFraming.dataOverhead

  /// Bytes to carry, 1 to `maximumLength`.
  public let length: Int
  /// Bytes of each chunk but the last, `minimumChunk` to `maximumChunk`.
  public let chunk: Int

  /// A content of `length` bytes in chunks of `chunk`.
  /// - Throws: ``TransferError`` `invalidDataLength` when one of them is out of its bounds.
  public init(length: Int, chunk: Int) throws(TransferError) {
    guard Self.isValid(length: length) else {
      throw TransferError(.invalidDataLength, "a content has 1 to \(Self.maximumLength) bytes, not \(length)")
    }
    guard Self.isValid(chunk: chunk) else {
      throw TransferError(
        .invalidDataLength, "a chunk has \(Self.minimumChunk) to \(Self.maximumChunk) bytes, not \(chunk)")
    }
    self.length = length
    self.chunk = chunk
  }

  static func isValid(length: Int) -> Bool { 1...maximumLength ~= length }
  static func isValid(chunk: Int) -> Bool { minimumChunk...maximumChunk ~= chunk }

  /// How many chunks there are: at most 32,768.
  public var count: Int { (length + chunk - 1) / chunk }

  /// Bytes of the chunk at an index; nil when there is none.
  public func length(ofChunkAt index: Int) -> Int? {
    guard index >= 0, index < count else { return nil }
    return index == count - 1 ? length - index * chunk : chunk
  }
}
