import Weir

/// Gives the original bytes of chunks, from ``CompressStream`` or ``CompressChunks``, checked one by one.
///
/// - Emits when: a chunk has come, its original bytes; nothing for an empty one.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one context (95 KiB; for streams of one frame 1.5 MiB with a window of 1 MiB), a chunk and its original
///   bytes, at most `limits.length`.
/// - Errors: ``ChunkError``: whatever is wrong with a chunk; `outOfOrder` for a chunk that is not the next,
///   `trailing` for one behind the last, `truncated` when the last has not come. Except with ``Continuity/gaps``,
///   what follows an error is answered with the same error, so nothing wrong gets through. Limits out of range are
///   faults of the blueprint.
public struct DecompressChunks: Stage {
  /// What may be missing.
  public enum Continuity: Sendable, Hashable {
    /// Nothing: the numbers follow one another and the last chunk comes.
    case whole
    /// The end: a stream that stops early, to be resumed later.
    case openEnd
    /// Any chunk that stands for itself: media that can bear a loss. Parts of one frame cannot.
    case gaps
  }

  private let limits: DecodingLimits
  private let dictionaries: DictionarySet
  private let continuity: Continuity
  private var decompressor: Decompressor?
  private var stream = FrameStream()
  private var expected: ChunkNumber
  private var isLastSeen = false
  private var total = 0
  private var streamDictionary: UInt16?
  private var failure: ChunkError?

  /// - Parameter first: number of the first chunk, more than 0 to resume.
  public init(
    limits: DecodingLimits = DecodingLimits(), dictionaries: DictionarySet = .empty,
    continuity: Continuity = .whole, first: UInt32 = 0
  ) {
    self.limits = limits
    self.dictionaries = dictionaries
    self.continuity = continuity
    expected = ChunkNumber(first)
  }

  public var faults: [String] { limits.faults }

  public mutating func process(_ element: CodedChunk, _ emit: ([UInt8]) -> Void) throws(ChunkError) {
    if let failure { throw failure }
    do throws(ChunkError) {
      let original = try accept(element)
      if !original.isEmpty { emit(original) }
    } catch {
      // A frame with a hole cannot go on; chunks that stand for themselves can.
      if continuity != .gaps || !stream.isUntouched { failure = error }
      throw error
    }
  }

  public mutating func finish(_ emit: ([UInt8]) -> Void) throws(ChunkError) {
    if let failure { throw failure }
    if continuity == .whole && !isLastSeen {
      throw ChunkError(.truncated, "the stream ended without its last chunk")
    }
  }

  private mutating func accept(_ chunk: CodedChunk) throws(ChunkError) -> [UInt8] {
    guard !isLastSeen else { throw ChunkError(.trailing, "chunk \(chunk.number) follows the last one") }
    try follow(chunk)
    let (sum, overflow) = total.addingReportingOverflow(max(0, chunk.originalLength))
    guard !overflow, sum <= limits.totalLength else {
      throw ChunkError(.tooLong, "chunk \(chunk.number) makes more than \(limits.totalLength) bytes in all")
    }
    let original = try chunk.coding == .part ? part(chunk) : alone(chunk)
    // Only now: a damaged chunk may come again, and its number may be damaged too.
    expected = ChunkNumber(following: chunk.number)
    total = sum
    isLastSeen = chunk.isLast
    return original
  }

  private func follow(_ chunk: CodedChunk) throws(ChunkError) {
    let isExpected = chunk.number == expected.next
    let mayJump = continuity == .gaps && chunk.coding != .part && expected.next.map { chunk.number > $0 } ?? false
    guard isExpected || mayJump else {
      throw ChunkError(
        .outOfOrder, "chunk \(chunk.number) came where \(expected.next.map { "\($0)" } ?? "none") has to follow")
    }
  }

  private mutating func alone(_ chunk: CodedChunk) throws(ChunkError) -> [UInt8] {
    guard stream.isUntouched else {
      throw ChunkError(.corrupt, "chunk \(chunk.number) stands for itself inside a frame of several chunks")
    }
    if let decompressor { return try decompressor.decompress(chunk) }
    let made = try Decompressor(limits: limits, dictionaries: dictionaries)
    decompressor = made
    return try made.decompress(chunk)
  }

  private mutating func part(_ chunk: CodedChunk) throws(ChunkError) -> [UInt8] {
    try limits.admit(declared: chunk.originalLength)
    if stream.isUntouched {
      guard chunk.number == 0 else {
        throw ChunkError(.needsPredecessors, "chunk \(chunk.number) continues a frame whose beginning has not come")
      }
      streamDictionary = chunk.dictionary
    }
    guard chunk.dictionary == streamDictionary else {
      throw ChunkError(.corrupt, "chunk \(chunk.number) names another dictionary than the frame it continues")
    }
    var original: [UInt8] = []
    // No more than what really comes out is kept, whatever is declared.
    try stream.decode(
      chunk.bytes, most: chunk.originalLength, piece: 1 << 17, limits: limits,
      dictionary: try dictionaries.dictionary(chunk.dictionary)
    ) { if original.isEmpty { original = $0 } else { original += $0 } }
    guard stream.hasBegun else { throw ChunkError(.truncated, "chunk \(chunk.number) ends inside the frame header") }
    guard original.count == chunk.originalLength else {
      throw ChunkError(.shortOutput, "\(chunk.originalLength) bytes are declared, \(original.count) came out")
    }
    guard stream.hasEnded == chunk.isLast else {
      throw stream.hasEnded
        ? ChunkError(.trailing, "the frame ends in chunk \(chunk.number), and more chunks are announced")
        : ChunkError(.truncated, "the frame does not end in the last chunk, \(chunk.number)")
    }
    try chunk.verify(original)
    return original
  }
}
