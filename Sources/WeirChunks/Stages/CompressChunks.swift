import Weir

/// Cuts a stream of bytes into chunks of one size and compresses each for itself, so that any of them can be read,
/// lost or sent again alone.
///
/// Small chunks cost a lot: source text that becomes .26 as a whole becomes .51 in chunks of 1 KiB, .39 in 4 KiB, .28
/// in 64 KiB. ``ChunkIndex`` says where which bytes are.
///
/// - Emits when: `size` bytes have come; an empty element closes the chunk that is being filled. At the end the rest,
///   or an empty chunk, marked as the last.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one context (1.3 MiB at level 3 with a window of 1 MiB), `size` bytes and the element.
/// - Errors: ``ChunkError``, `outOfMemory`; settings out of range are faults of the blueprint.
public struct CompressChunks: Stage {
  private let settings: CompressionSettings
  private let dictionary: CompressionDictionary?
  private let size: Int
  private var compressor: Compressor?
  private var next: ChunkNumber
  private var pending: [UInt8] = []
  private var heldElements = 0

  /// - Parameters:
  ///   - size: original bytes of a chunk.
  ///   - first: number of the first chunk: to resume, the number that ``ChunkIndex/resumption(at:)`` names, fed from
  ///     its original offset on.
  public init(
    size: Int = 65_536, first: UInt32 = 0, settings: CompressionSettings = CompressionSettings(),
    dictionary: CompressionDictionary? = nil
  ) {
    self.size = size
    self.settings = settings
    self.dictionary = dictionary
    next = ChunkNumber(first)
  }

  public var held: Int { heldElements }
  public var holds: Int? { size }

  public var faults: [String] {
    settings.faults + (size > 0 ? [] : ["chunks of \(size) bytes hold nothing; use 1 or more"])
  }

  public mutating func process(_ element: [UInt8], _ emit: (CodedChunk) -> Void) throws(ChunkError) {
    heldElements += 1
    if element.isEmpty {
      if !pending.isEmpty { try flush(emit) }
      heldElements = 0
      return
    }
    var rest = element[...]
    while pending.count + rest.count >= max(1, size) {
      let piece = rest.prefix(max(1, size) - pending.count)
      pending += piece
      rest = rest.dropFirst(piece.count)
      try flush(emit)
      // What was held has left; of this element the rest stays.
      heldElements = rest.isEmpty ? 0 : 1
    }
    pending += rest
  }

  public mutating func finish(_ emit: (CodedChunk) -> Void) throws(ChunkError) {
    try flush(emit, isLast: true)
    heldElements = 0
  }

  private mutating func flush(_ emit: (CodedChunk) -> Void, isLast: Bool = false) throws(ChunkError) {
    // Frames do not depend on one another, so copies of a stage may share the compressor.
    let made: Compressor
    if let compressor { made = compressor } else { made = try Compressor(settings, dictionary: dictionary) }
    compressor = made
    let chunk = try made.compress(pending, number: try next.take(), isLast: isLast)
    pending.removeAll(keepingCapacity: pending.count <= size)
    emit(chunk)
  }
}
