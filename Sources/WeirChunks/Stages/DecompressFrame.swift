import Weir

/// Decodes one zstd frame whose bytes come in pieces cut anywhere, as a radio or a socket gives them.
///
/// - Emits when: bytes can be decoded: at most 64 KiB at a time, as early as the frame allows.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one context with the window (1.5 MiB with the default limits) and the element.
/// - Errors: ``ChunkError``: `notAFrame`, `skippableFrame`, `windowTooLarge`, `unknownDictionary`, `corrupt`,
///   `checksum`; `overrun` when more than `length` bytes come out (without it, more than `limits.totalLength`),
///   `trailing` for bytes behind the frame, `truncated` and `shortOutput` at the end. What follows an error is
///   answered with the same error. Limits out of range are faults of the blueprint.
public struct DecompressFrame: Stage {
  private let length: Int?
  private let limits: DecodingLimits
  private let dictionary: CompressionDictionary?
  private let mayStopEarly: Bool
  private var stream = FrameStream()
  private var total = 0
  private var failure: ChunkError?

  /// - Parameters:
  ///   - length: how many bytes have to come out; nil where nobody has said.
  ///   - mayStopEarly: whether the input may end inside the frame, for a stream that is resumed later.
  public init(
    length: Int?, limits: DecodingLimits = DecodingLimits(), dictionary: CompressionDictionary? = nil,
    mayStopEarly: Bool = false
  ) {
    self.length = length
    self.limits = limits
    self.dictionary = dictionary
    self.mayStopEarly = mayStopEarly
  }

  public var faults: [String] {
    limits.faults + ((length ?? 0) >= 0 ? [] : ["\(length ?? 0) bytes can never come out"])
  }

  public mutating func process(_ element: [UInt8], _ emit: ([UInt8]) -> Void) throws(ChunkError) {
    if let failure { throw failure }
    do throws(ChunkError) {
      let most = length ?? limits.totalLength
      if most > limits.totalLength {
        throw ChunkError(.tooLong, "\(most) bytes are declared, the limit is \(limits.totalLength)")
      }
      var given = 0
      try stream.decode(element, most: most - total, piece: 1 << 16, limits: limits, dictionary: dictionary) {
        given += $0.count
        emit($0)
      }
      total += given
      if let size = stream.contentSize, size != UInt64(length ?? Int(clamping: size)) {
        throw ChunkError(.corrupt, "the frame says it holds \(size) bytes, \(length ?? 0) are declared")
      }
    } catch {
      failure = error
      throw error
    }
  }

  public mutating func finish(_ emit: ([UInt8]) -> Void) throws(ChunkError) {
    if let failure { throw failure }
    if mayStopEarly && !stream.hasEnded { return }
    guard stream.hasEnded else { throw ChunkError(.truncated, "the input ended inside the frame") }
    if let length, total < length {
      throw ChunkError(.shortOutput, "\(length) bytes are declared, \(total) came out")
    }
  }
}
