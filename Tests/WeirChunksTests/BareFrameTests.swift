import Testing
import WeirChunks

/// Frames whose length somebody has declared elsewhere, and that have no checksum of ours.
@Suite struct BareFrameTests {
  private static let text = Array(String(repeating: "one line after the other\n", count: 400).utf8)

  private static func kind(_ frame: [UInt8], length: Int, limits: DecodingLimits = .radioTransfer) -> ChunkError.Kind? {
    do throws(ChunkError) {
      _ = try Decompressor(limits: limits).content(ofFrame: frame, length: length)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func `a frame gives exactly what was declared, or an error that says why not`() throws {
    let coded = try CodedChunk(compressing: Self.text, settings: .radioTransfer)
    #expect(coded.coding == .frame)
    let decompressor = try Decompressor(limits: .radioTransfer)
    #expect(try decompressor.content(ofFrame: coded.bytes, length: Self.text.count) == Self.text)
    #expect(Self.kind(coded.bytes, length: Self.text.count - 1) == .overrun)
    #expect(Self.kind(coded.bytes, length: Self.text.count + 1) == .shortOutput)
    #expect(Self.kind(coded.bytes, length: 524_288) == .tooLong)
    #expect(Self.kind(coded.bytes, length: -1) == .corrupt)
    #expect(Self.kind(coded.bytes + [0], length: Self.text.count) == .trailing)
    #expect(Self.kind(coded.bytes.dropLast().map { $0 }, length: Self.text.count) == .truncated)
    #expect(Self.kind(Self.text, length: Self.text.count) == .notAFrame)
  }

  @Test func `a bomb takes no more than was declared`() throws {
    let zeros = [UInt8](repeating: 0, count: 8 << 20)
    let bomb = try CodedChunk(compressing: zeros, settings: CompressionSettings(level: 19, windowLog: 19))
    #expect(bomb.bytes.count < 2_000)
    #expect(Self.kind(bomb.bytes, length: 524_287) == .overrun)
    #expect(Self.kind(bomb.bytes, length: zeros.count) == .tooLong)
  }
}
