/// Tells what is compressed already, so that no time is spent on it (radio spec §2).
enum SkipRule {
  /// Bytes looked at by the probe.
  static let probeLength = 16_384
  /// A probe that becomes larger than this share of itself is not worth the rest.
  static let worthwhile = 0.95

  /// Whether the bytes begin like a JPEG, PNG, WebP, HEIC or MP4, Ogg, zip, gzip or zstd file.
  static func isKnownFormat(_ bytes: UnsafeRawBufferPointer) -> Bool {
    func begins(_ magic: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + magic.count && magic.indices.allSatisfy { bytes[offset + $0] == magic[$0] }
    }
    return begins([0xFF, 0xD8, 0xFF]) || begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      || begins(Array("RIFF".utf8)) && begins(Array("WEBP".utf8), at: 8)
      // HEIC, AVIF, MP4, MOV: a box of type "ftyp" comes first.
      || begins(Array("ftyp".utf8), at: 4) || begins(Array("OggS".utf8))
      || begins([0x50, 0x4B, 0x03, 0x04]) || begins([0x1F, 0x8B, 0x08]) || begins(FrameHeader.magic)
  }
}

/// What is asked before a payload or stream is compressed.
struct Probe: ~Copyable {
  private let context: CompressionContext

  init() throws(ChunkError) { context = try CompressionContext(CompressionSettings(level: 3), dictionary: nil) }

  /// Whether a payload is not worth compressing. Only payloads longer than the probe are tried: shorter ones are
  /// compressed, and kept when that did not help.
  borrowing func shouldSkip(_ bytes: UnsafeRawBufferPointer) throws(ChunkError) -> Bool {
    if SkipRule.isKnownFormat(bytes) { return true }
    guard bytes.count > SkipRule.probeLength else { return false }
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<SkipRule.probeLength])
    return Double(try context.frame(head).count) > SkipRule.worthwhile * Double(SkipRule.probeLength)
  }
}
