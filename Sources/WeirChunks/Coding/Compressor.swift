import Synchronization

/// Compresses whole payloads, one frame each, with one context that is kept.
///
/// May be shared; calls wait for one another. What is compressed already (by its first bytes, or because the first 16
/// KiB hardly shrink) and what does not get smaller is kept as it is, and the chunk says so.
///
/// Memory: the context of the level (0.6 MiB at level 1, 1.3 at 3, see the decision note), the probe's, and the
/// result.
public final class Compressor: Sendable {
  /// The settings it works with.
  public let settings: CompressionSettings
  private let dictionary: CompressionDictionary?
  private let contexts: Mutex<Contexts>

  private struct Contexts: ~Copyable {
    var main: CompressionContext
    var probe: Probe?
  }

  /// A compressor.
  /// - Throws: `badParameter` for settings out of range, `badDictionary`, `outOfMemory`.
  public init(
    _ settings: CompressionSettings = CompressionSettings(), dictionary: CompressionDictionary? = nil
  ) throws(ChunkError) {
    try dictionary?.admitPayloads()
    self.settings = settings
    self.dictionary = dictionary
    contexts = Mutex(Contexts(main: try CompressionContext(settings, dictionary: dictionary)))
  }

  /// Compresses a payload; `number` and `isLast` are those of the chunk in its stream.
  public func compress(_ original: [UInt8], number: UInt32 = 0, isLast: Bool = true) throws(ChunkError) -> CodedChunk {
    let frame = try contexts.withLock { (contexts) throws(ChunkError) in
      try Self.frame(original, &contexts)
    }
    let checksum = ContentChecksum.of(original)
    guard let frame, frame.count < original.count else {
      return CodedChunk(
        number: number, isLast: isLast, coding: .original, originalLength: original.count, checksum: checksum,
        bytes: original)
    }
    return CodedChunk(
      number: number, isLast: isLast, coding: .frame, dictionary: dictionary?.id, originalLength: original.count,
      checksum: checksum, bytes: frame)
  }

  /// Bytes that the context of the level occupies now.
  public var memory: Int { contexts.withLock { $0.main.memory } }

  private static func frame(_ original: [UInt8], _ contexts: inout Contexts) throws(ChunkError) -> [UInt8]? {
    if contexts.probe == nil { contexts.probe = try Probe() }
    return try original.reading { (bytes) throws(ChunkError) in
      try contexts.probe?.shouldSkip(bytes) == false ? try contexts.main.frame(bytes) : nil
    }
  }
}
