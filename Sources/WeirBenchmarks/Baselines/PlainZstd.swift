import CZstd

/// The zstd library as its own benchmark uses it: contexts and room made once, whole buffers.
final class PlainZstd: @unchecked Sendable {
  // Safety: one case uses it, one call after another.
  private let compression: OpaquePointer
  private let decompression: OpaquePointer
  private let room: UnsafeMutableRawBufferPointer

  init(level: Int, room length: Int) throws {
    guard let compression = ZSTD_createCCtx(), let decompression = ZSTD_createDCtx() else {
      throw BenchmarkError.peer("zstd has no memory")
    }
    self.compression = compression
    self.decompression = decompression
    room = .allocate(byteCount: ZSTD_compressBound(length) + 65_536, alignment: 16)
    ZSTD_CCtx_setParameter(compression, ZSTD_c_compressionLevel, Int32(level))
  }

  deinit {
    ZSTD_freeCCtx(compression)
    ZSTD_freeDCtx(decompression)
    room.deallocate()
  }

  func compress(_ original: [UInt8]) throws -> Int {
    try Self.size(ZSTD_compress2(compression, room.baseAddress, room.count, original, original.count))
  }

  func frame(_ original: [UInt8]) throws -> [UInt8] { Array(room[..<(try compress(original))]) }

  func decompress(_ frame: [UInt8]) throws -> Int {
    try Self.size(ZSTD_decompressDCtx(decompression, room.baseAddress, room.count, frame, frame.count))
  }

  /// One frame, flushed behind every element.
  func stream(_ elements: [[UInt8]]) throws -> Int {
    var total = 0
    for (number, element) in elements.enumerated() {
      total += try step(element, ZSTD_e_flush)
      if number == elements.count - 1 { total += try step([], ZSTD_e_end) }
    }
    return total
  }

  private func step(_ element: [UInt8], _ directive: ZSTD_EndDirective) throws -> Int {
    try element.withUnsafeBytes { bytes in
      var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
      var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
      let left = try Self.size(ZSTD_compressStream2(compression, &output, &input, directive))
      guard left == 0 else { throw BenchmarkError.peer("zstd did not flush") }
      return output.pos
    }
  }

  private static func size(_ result: Int) throws -> Int {
    guard ZSTD_isError(result) == 0 else { throw BenchmarkError.peer(String(cString: ZSTD_getErrorName(result))) }
    return result
  }
}
