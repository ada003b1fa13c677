import Synchronization

/// Decodes chunks that stand for themselves, with one context that is kept.
///
/// May be shared; calls wait for one another. Every bound of ``DecodingLimits`` is checked before memory is taken;
/// the result is exactly what was coded, by length and checksum, or an error.
///
/// Memory: about 95 KiB, and what a chunk declares, where its blocks can give that much.
public final class Decompressor: Sendable {
  /// What is accepted.
  public let limits: DecodingLimits
  /// The dictionaries that chunks may name.
  public let dictionaries: DictionarySet
  private let context: Mutex<DecompressionContext>

  /// A decompressor.
  /// - Throws: `badParameter` for limits that let nothing through, `outOfMemory`.
  public init(limits: DecodingLimits = DecodingLimits(), dictionaries: DictionarySet = .empty) throws(ChunkError) {
    try limits.validate()
    self.limits = limits
    self.dictionaries = dictionaries
    context = Mutex(try DecompressionContext())
  }

  /// The original bytes of a chunk.
  /// - Throws: what is wrong with it; `needsPredecessors` for a part of a stream.
  public func decompress(_ chunk: CodedChunk) throws(ChunkError) -> [UInt8] {
    try limits.admit(declared: chunk.originalLength)
    let original: [UInt8]
    switch chunk.coding {
    case .original: original = try Self.kept(chunk)
    case .frame:
      let dictionary = try dictionaries.dictionary(chunk.dictionary)
      original = try context.withLock { (context) throws(ChunkError) in
        try chunk.bytes.reading { (bytes) throws(ChunkError) in
          try context.content(of: bytes, length: chunk.originalLength, limits: limits, dictionary: dictionary)
        }
      }
    case .part:
      throw ChunkError(.needsPredecessors, "chunk \(chunk.number) continues a frame; decode its stream from the start")
    }
    try chunk.verify(original)
    return original
  }

  /// The original bytes of a zstd frame whose length somebody has declared, within the same bounds as a chunk's.
  ///
  /// Without a checksum: for wires that have one of their own over what was coded.
  /// - Throws: what is wrong with the frame or its length.
  public func content(ofFrame frame: [UInt8], length: Int) throws(ChunkError) -> [UInt8] {
    try limits.admit(declared: length)
    return try context.withLock { (context) throws(ChunkError) in
      try frame.reading { (bytes) throws(ChunkError) in
        try context.content(of: bytes, length: length, limits: limits, dictionary: nil)
      }
    }
  }

  /// The bytes of a chunk that was not compressed.
  static func kept(_ chunk: CodedChunk) throws(ChunkError) -> [UInt8] {
    let difference = chunk.bytes.count - chunk.originalLength
    if difference != 0 {
      throw ChunkError(
        difference > 0 ? .overrun : .shortOutput,
        "\(chunk.originalLength) bytes are declared, \(chunk.bytes.count) are there")
    }
    guard chunk.dictionary == nil else { throw ChunkError(.corrupt, "original bytes need no dictionary") }
    return chunk.bytes
  }
}

extension [UInt8] {
  /// Lends the bytes to a body that throws our errors.
  func reading<Result>(_ body: (UnsafeRawBufferPointer) throws(ChunkError) -> Result) throws(ChunkError) -> Result {
    try withUnsafeBufferPointer { (buffer) throws(ChunkError) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}
