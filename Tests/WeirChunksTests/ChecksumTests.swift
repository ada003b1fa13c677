import CZstd
import Testing
import WeirChunks
import WeirTesting

@Suite struct ChecksumTests {
  /// zstd writes the same checksum at the end of a frame that asks for one: it is the oracle.
  @Test(arguments: Sample.allCases) func `the checksum is that of zstd at every length`(sample: Sample) throws {
    for count in Array(0...100) + [1_000, 4_095, 65_536] {
      let original = sample.bytes(count, seed: UInt64(count))
      #expect(ContentChecksum.of(original) == Self.zstdChecksum(original))
    }
  }

  private static func zstdChecksum(_ original: [UInt8]) -> UInt32? {
    guard let context = ZSTD_createCCtx() else { return nil }
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(original.count) + 64)
    let size = ZSTD_compress2(context, &frame, frame.count, original, original.count)
    guard ZSTD_isError(size) == 0 else { return nil }
    return frame[(size - 4)..<size].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
