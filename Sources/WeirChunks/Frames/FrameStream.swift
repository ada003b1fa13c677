import Synchronization

/// Decodes one frame that comes in pieces cut anywhere. The state is a value; the context behind it has one owner.
struct FrameStream: Sendable {
  private var decoder: StreamDecoder?
  /// Bytes of a header that is not complete.
  private var head: [UInt8] = []
  private(set) var hasBegun = false
  private(set) var hasEnded = false
  /// What the header says of the length, where it does.
  private(set) var contentSize: UInt64?

  /// Whether any byte has come.
  var isUntouched: Bool { !hasBegun && head.isEmpty }

  /// Takes bytes in and gives what can be decoded from them, at most `most` bytes, in pieces of at most `piece`.
  /// - Throws: `overrun` when more than `most` would come out, `trailing` behind the end of the frame.
  mutating func decode(
    _ bytes: [UInt8], most: Int, piece: Int, limits: DecodingLimits, dictionary: CompressionDictionary?,
    _ emit: ([UInt8]) -> Void
  ) throws(ChunkError) {
    if hasEnded {
      guard bytes.isEmpty else { throw ChunkError(.trailing, "\(bytes.count) bytes follow the end of the frame") }
      return
    }
    if hasBegun { return try feed(bytes, most: most, piece: piece, emit) }
    head += bytes
    guard let header = try head.reading({ (bytes) throws(ChunkError) in try FrameHeader(bytes) }) else { return }
    try header.admit(limits, dictionary: dictionary?.zstdNumber ?? 0)
    contentSize = header.contentSize
    try begin(limits, dictionary)
    let first = head
    head = []
    try feed(first, most: most, piece: piece, emit)
  }

  // Apart from `decode`, so that no second reference lives on while the first bytes are fed.
  private mutating func begin(
    _ limits: DecodingLimits, _ dictionary: CompressionDictionary?
  ) throws(ChunkError) {
    let made = StreamDecoder(try DecompressionContext())
    try made.context.withLock { (context) throws(ChunkError) in
      try context.beginStream(limits, dictionary: dictionary)
    }
    decoder = made
    hasBegun = true
  }

  private mutating func feed(
    _ bytes: [UInt8], most: Int, piece: Int, _ emit: ([UInt8]) -> Void
  ) throws(ChunkError) {
    guard isKnownUniquelyReferenced(&decoder), let decoder else {
      throw ChunkError(.copiedInUse, "the stage was copied in the middle of a frame; begin the copy anew")
    }
    var taken = 0
    var given = 0
    while !hasEnded {
      // Room for one byte too many tells an overrun from an exact fit.
      let room = min(piece, max(1, most - given))
      let progress = try decoder.context.withLock { (context) throws(ChunkError) in
        try bytes.reading { (all) throws(ChunkError) in
          try context.step(UnsafeRawBufferPointer(rebasing: all[taken...]), room: room)
        }
      }
      taken += progress.taken
      given += progress.output.count
      guard given <= most else { throw ChunkError(.overrun, "more than the declared \(most) bytes come out") }
      if !progress.output.isEmpty { emit(progress.output) }
      hasEnded = progress.hasEnded
      if taken == bytes.count && progress.output.count < room { break }
      if progress.taken == 0 && progress.output.isEmpty { break }
    }
    guard taken == bytes.count else {
      throw ChunkError(.trailing, "\(bytes.count - taken) bytes follow the end of the frame")
    }
  }
}

/// The context of one stream.
private final class StreamDecoder: Sendable {
  let context: Mutex<DecompressionContext>

  init(_ context: consuming sending DecompressionContext) { self.context = Mutex(context) }
}
