import CZstd

/// One zstd decompression context, for whole frames or for a stream.
///
/// Not copyable, so there is one owner, and the memory goes with it. About 95 KiB; a stream adds the window and some
/// blocks.
struct DecompressionContext: ~Copyable {
  private let context: OpaquePointer

  init() throws(ChunkError) {
    guard let context = ZSTD_createDCtx() else { throw ChunkError(.outOfMemory, "no decompression context") }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Bytes that the context occupies.
  var memory: Int { ZSTD_sizeof_DCtx(context) }

  /// Decodes a whole frame, whose shape has been looked at, into exactly `length` bytes.
  ///
  /// Memory: `length` bytes, where the frame's blocks can give that much at all.
  borrowing func content(
    of frame: UnsafeRawBufferPointer, length: Int, limits: DecodingLimits, dictionary: CompressionDictionary?
  ) throws(ChunkError) -> [UInt8] {
    let shape = try FrameShape(frame)
    try shape.header.admit(limits, dictionary: dictionary?.zstdNumber ?? 0)
    if let size = shape.header.contentSize, size != UInt64(length) {
      throw ChunkError(
        size < UInt64(length) ? .shortOutput : .overrun, "the frame says it holds \(size) bytes, \(length) are declared"
      )
    }
    if shape.mostContent < length {
      throw ChunkError(.shortOutput, "\(length) bytes are declared, the frame gives \(shape.mostContent) at most")
    }
    var result = 0
    let content = [UInt8](unsafeUninitializedCapacity: length) { room, count in
      result = decode(frame, into: UnsafeMutableRawBufferPointer(room), dictionary: dictionary)
      count = ZSTD_isError(result) != 0 ? 0 : result
    }
    _ = try ChunkError.checked(result, while: "decoding a frame")
    guard content.count == length else {
      throw ChunkError(.shortOutput, "\(length) bytes are declared, \(content.count) came out")
    }
    return content
  }

  /// Decodes a frame into the room given.
  /// - Returns: the number of bytes, or an error of zstd.
  borrowing func decode(
    _ frame: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, dictionary: CompressionDictionary?
  ) -> Int {
    if let dictionary {
      return ZSTD_decompress_usingDDict(
        context, room.baseAddress, room.count, frame.baseAddress, frame.count, dictionary.digest.pointer)
    }
    return ZSTD_decompressDCtx(context, room.baseAddress, room.count, frame.baseAddress, frame.count)
  }

  /// Begins a stream of one frame.
  borrowing func beginStream(
    _ limits: DecodingLimits, dictionary: CompressionDictionary?
  ) throws(ChunkError) {
    var result = ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    _ = try ChunkError.checked(result, while: "beginning a stream")
    result = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(clamping: limits.windowLog))
    _ = try ChunkError.checked(result, while: "limiting the window")
    result = ZSTD_DCtx_refDDict(context, dictionary?.digest.pointer)
    _ = try ChunkError.checked(result, while: "taking a dictionary")
  }

  /// How a step of a stream left things.
  struct Progress {
    /// Bytes that came out.
    var output: [UInt8]
    /// Bytes taken in.
    var taken: Int
    /// Whether the frame has ended.
    var hasEnded: Bool
  }

  /// Takes bytes of a stream in and gives at most `room` bytes out.
  borrowing func step(_ bytes: UnsafeRawBufferPointer, room: Int) throws(ChunkError) -> Progress {
    var result = 0
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    let output = [UInt8](unsafeUninitializedCapacity: room) { space, count in
      var output = ZSTD_outBuffer(dst: space.baseAddress, size: room, pos: 0)
      result = ZSTD_decompressStream(context, &output, &input)
      count = output.pos
    }
    _ = try ChunkError.checked(result, while: "decoding a stream")
    return Progress(output: output, taken: input.pos, hasEnded: result == 0)
  }
}
