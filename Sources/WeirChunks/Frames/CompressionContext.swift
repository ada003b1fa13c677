import CZstd

/// One zstd compression context: the tables that a level needs, kept from one payload to the next.
///
/// Not copyable, so there is one owner, and the memory goes with it.
struct CompressionContext: ~Copyable {
  private let context: OpaquePointer

  init(
    _ settings: CompressionSettings, dictionary: CompressionDictionary?, isStream: Bool = false
  ) throws(ChunkError) {
    try settings.validate()
    guard let context = ZSTD_createCCtx() else { throw ChunkError(.outOfMemory, "no compression context") }
    do throws(ChunkError) {
      try Self.prepare(context, isStream ? settings.streamParameters : settings.parameters, dictionary)
    } catch {
      ZSTD_freeCCtx(context)
      throw error
    }
    self.context = context
  }

  private static func prepare(
    _ context: OpaquePointer, _ parameters: [(ZSTD_cParameter, Int32)], _ dictionary: CompressionDictionary?
  ) throws(ChunkError) {
    for (parameter, value) in parameters {
      let result = ZSTD_CCtx_setParameter(context, parameter, value)
      _ = try ChunkError.checked(result, while: "setting \(parameter.rawValue) to \(value)")
    }
    if let dictionary {
      let result = dictionary.bytes.withUnsafeBytes {
        ZSTD_CCtx_loadDictionary(context, $0.baseAddress, $0.count)
      }
      _ = try ChunkError.checked(result, while: "loading a dictionary")
    }
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Bytes that the context occupies.
  var memory: Int { ZSTD_sizeof_CCtx(context) }

  /// One frame with all of `original`.
  borrowing func frame(_ original: UnsafeRawBufferPointer) throws(ChunkError) -> [UInt8] {
    let bound = ZSTD_compressBound(original.count)
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: bound) { room, count in
      result = ZSTD_compress2(context, room.baseAddress, room.count, original.baseAddress, original.count)
      count = ZSTD_isError(result) != 0 ? 0 : result
    }
    _ = try ChunkError.checked(result, while: "compressing")
    return Self.fitted(bytes, room: bound)
  }

  /// What is kept, and weighed in links, should not occupy what might have been needed.
  private static func fitted(_ bytes: [UInt8], room: Int) -> [UInt8] {
    guard room > 4_096, bytes.count < room - room / 8 else { return bytes }
    return [UInt8](unsafeUninitializedCapacity: bytes.count) { space, count in
      _ = space.initialize(fromContentsOf: bytes)
      count = bytes.count
    }
  }

  /// Takes part of a stream and gives all that the decoder needs for it.
  borrowing func part(_ original: UnsafeRawBufferPointer, ends: Bool) throws(ChunkError) -> [UInt8] {
    var result = 1
    var input = ZSTD_inBuffer(src: original.baseAddress, size: original.count, pos: 0)
    var bytes: [UInt8] = []
    while result != 0 {
      let most = ZSTD_compressBound(input.size - input.pos) + 32
      let piece = [UInt8](unsafeUninitializedCapacity: most) { room, count in
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        result = ZSTD_compressStream2(context, &output, &input, ends ? ZSTD_e_end : ZSTD_e_flush)
        count = output.pos
      }
      _ = try ChunkError.checked(result, while: "compressing a part of a stream")
      if bytes.isEmpty { bytes = Self.fitted(piece, room: most) } else { bytes += piece }
    }
    return bytes
  }
}
