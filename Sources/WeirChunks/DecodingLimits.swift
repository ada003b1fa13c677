/// What a decoder is willing to do for bytes that somebody else wrote (radio spec §2, bombs).
///
/// 100 MiB of zeros are some 3 KiB of zstd. So the length is declared beside the bytes and checked against a limit
/// first; what a frame can give at most is counted from its block headers; and no more memory is taken than the
/// smaller of both.
public struct DecodingLimits: Sendable, Hashable {
  /// Most bytes that one chunk or message may become.
  public var length: Int
  /// Most bytes that all chunks of a stream or index may become together.
  public var totalLength: Int
  /// Furthest a frame may look back, as a power of two: 10 to 27. A streaming decoder keeps that much.
  public var windowLog: Int

  /// Limits. The defaults: 16 MiB for a chunk, 1 GiB for a stream, a window of 1 MiB.
  public init(length: Int = 16 << 20, totalLength: Int = 1 << 30, windowLog: Int = 20) {
    self.length = length
    self.totalLength = totalLength
    self.windowLog = windowLog
  }

  /// For files sent by radio: at most 524,287 bytes, as the transfer's header can say, and a window of 512 KiB.
  public static let radioTransfer = DecodingLimits(length: 524_287, totalLength: 524_287, windowLog: 19)

  /// What is wrong with the limits, in words.
  var faults: [String] {
    var faults: [String] = []
    if length <= 0 { faults.append("a limit of \(length) bytes a chunk lets nothing through") }
    if totalLength <= 0 { faults.append("a limit of \(totalLength) bytes in all lets nothing through") }
    if !(10...27).contains(windowLog) { faults.append("a window of 2^\(windowLog) bytes: use 10 to 27") }
    return faults
  }

  /// Throws when the limits cannot be used.
  func validate() throws(ChunkError) {
    if let fault = faults.first { throw ChunkError(.badParameter, fault) }
  }

  /// Throws when a declared length is none, or beyond the limit.
  func admit(declared: Int) throws(ChunkError) {
    if declared < 0 { throw ChunkError(.corrupt, "a length of \(declared) is declared") }
    if declared > length {
      throw ChunkError(.tooLong, "\(declared) bytes are declared, the limit is \(length)")
    }
  }
}
