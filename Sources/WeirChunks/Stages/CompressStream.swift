import Synchronization
import Weir

/// Compresses a stream of bytes as one zstd frame, flushed at every chunk, so that what has arrived can be decoded.
///
/// Flushed every KiB it costs some 5 points of ratio beside the whole at once, where independent chunks cost 20 to
/// 25. The coded bytes of all chunks behind one another are one zstd frame that any zstd program reads. A stream
/// whose first element is compressed already (its first bytes say so, or it is longer than 16 KiB and hardly shrinks)
/// is passed on as it is.
///
/// - Emits when: an element has come, one chunk for it, or one for each `chunkSize` bytes of it. At the end one more,
///   which ends the frame and holds no content.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one context (2.5 MiB at level 3 with a window of 1 MiB, see the decision note) and the element.
/// - Errors: ``ChunkError``, `outOfMemory` or `copiedInUse`; settings out of range are faults of the blueprint. After
///   an error the frame cannot go on, and every further element fails.
public struct CompressStream: Stage {
  private let settings: CompressionSettings
  private let dictionary: CompressionDictionary?
  private let chunkSize: Int?
  private var coder: StreamCoder?
  private var isKept = false
  private var next = ChunkNumber()
  private var failure: ChunkError?

  /// - Parameter chunkSize: most original bytes of a chunk; without it, each element is a chunk.
  public init(
    settings: CompressionSettings = CompressionSettings(), dictionary: CompressionDictionary? = nil,
    chunkSize: Int? = nil
  ) {
    self.settings = settings
    self.dictionary = dictionary
    self.chunkSize = chunkSize
  }

  public var faults: [String] {
    settings.faults + (chunkSize.map { $0 > 0 ? [] : ["chunks of \($0) bytes hold nothing; use 1 or more"] } ?? [])
  }

  public mutating func process(_ element: [UInt8], _ emit: (CodedChunk) -> Void) throws(ChunkError) {
    guard !element.isEmpty else { return }
    try guarded { (stage) throws(ChunkError) in
      if stage.coder == nil && !stage.isKept {
        stage.isKept = try element.reading { (bytes) throws(ChunkError) in try Probe().shouldSkip(bytes) }
      }
      let size = max(1, stage.chunkSize ?? element.count)
      if element.count <= size { return emit(try stage.chunk(element, isLast: false)) }
      for start in stride(from: 0, to: element.count, by: size) {
        emit(try stage.chunk(Array(element[start..<min(start + size, element.count)]), isLast: false))
      }
    }
  }

  public mutating func finish(_ emit: (CodedChunk) -> Void) throws(ChunkError) {
    try guarded { (stage) throws(ChunkError) in emit(try stage.chunk([], isLast: true)) }
  }

  private mutating func chunk(_ original: [UInt8], isLast: Bool) throws(ChunkError) -> CodedChunk {
    let number = try next.take()
    let bytes: [UInt8]
    if isKept {
      bytes = original
    } else {
      if coder == nil {
        try dictionary?.admitPayloads()
        coder = StreamCoder(try CompressionContext(settings, dictionary: dictionary, isStream: true))
      }
      guard isKnownUniquelyReferenced(&coder), let coder else {
        throw ChunkError(.copiedInUse, "the stage was copied in the middle of a frame; begin the copy anew")
      }
      bytes = try coder.context.withLock { (context) throws(ChunkError) in
        try original.reading { (bytes) throws(ChunkError) in try context.part(bytes, ends: isLast) }
      }
    }
    return CodedChunk(
      number: number, isLast: isLast, coding: isKept ? .original : .part, dictionary: isKept ? nil : dictionary?.id,
      originalLength: original.count, checksum: ContentChecksum.of(original), bytes: bytes)
  }

  /// A frame with a hole is worth nothing: the first error is the answer to everything that follows.
  private mutating func guarded(_ body: (inout CompressStream) throws(ChunkError) -> Void) throws(ChunkError) {
    if let failure { throw failure }
    do throws(ChunkError) {
      try body(&self)
    } catch {
      failure = error
      throw error
    }
  }
}

/// The context of one stream. One stage owns it: copies of a stage in use are refused, since a frame has one future.
final class StreamCoder: Sendable {
  let context: Mutex<CompressionContext>

  init(_ context: consuming sending CompressionContext) { self.context = Mutex(context) }
}

/// Counts the chunks of a stream.
struct ChunkNumber: Sendable {
  private(set) var next: UInt32?

  init(_ first: UInt32 = 0) { next = first }

  init(following number: UInt32) { next = number == .max ? nil : number + 1 }

  mutating func take() throws(ChunkError) -> UInt32 {
    guard let number = next else { throw ChunkError(.outOfRange, "a stream has at most 2^32 chunks") }
    self = ChunkNumber(following: number)
    return number
  }
}
