import Weir

/// Bytes as they are sent or stored, with what is needed to get the original back and to know that it is right.
///
/// In links that limit bytes a chunk weighs what its coded bytes weigh, so `boundary("air", limit: .bytes(4_096))`
/// lets 4,096 compressed bytes wait, whatever they become later.
public struct CodedChunk: Sendable, Hashable, Weighted {
  /// How the bytes are coded. Said with every chunk, never guessed. The raw values are those on the wire.
  public enum Coding: UInt8, Sendable, CaseIterable {
    /// The original bytes.
    case original = 0
    /// A zstd frame of its own.
    case frame = 1
    /// A part of one zstd frame that began with the first chunk of its stream.
    case part = 2
  }

  /// Position in its stream, from 0.
  public var number: UInt32
  /// Whether the stream ends with this chunk.
  public var isLast: Bool
  /// How `bytes` are coded.
  public var coding: Coding
  /// The dictionary that is needed to decode them.
  public var dictionary: UInt16?
  /// Bytes of the original.
  public var originalLength: Int
  /// ``ContentChecksum`` of the original.
  public var checksum: UInt32
  /// The coded bytes.
  public var bytes: [UInt8]

  /// A chunk from its parts, as they came over a wire of one's own. Nothing is believed until it is decoded.
  public init(
    number: UInt32 = 0, isLast: Bool = true, coding: Coding, dictionary: UInt16? = nil, originalLength: Int,
    checksum: UInt32, bytes: [UInt8]
  ) {
    self.number = number
    self.isLast = isLast
    self.coding = coding
    self.dictionary = dictionary
    self.originalLength = originalLength
    self.checksum = checksum
    self.bytes = bytes
  }

  /// Compresses a whole payload, or keeps it where compression does not help.
  ///
  /// Makes a compression context for this one payload; a ``Compressor`` keeps it for many.
  public init(
    compressing original: [UInt8], settings: CompressionSettings = CompressionSettings(),
    dictionary: CompressionDictionary? = nil
  ) throws(ChunkError) {
    self = try Compressor(settings, dictionary: dictionary).compress(original)
  }

  /// The original bytes, checked; as ``Decompressor/decompress(_:)``, with a context made for this one chunk.
  public func original(
    limits: DecodingLimits = DecodingLimits(), dictionaries: DictionarySet = .empty
  ) throws(ChunkError) -> [UInt8] {
    try Decompressor(limits: limits, dictionaries: dictionaries).decompress(self)
  }

  /// Number of coded bytes.
  public var weight: Int { bytes.count }

  /// Coded bytes for each original byte; 1 for an empty chunk.
  public var ratio: Double { originalLength > 0 ? Double(bytes.count) / Double(originalLength) : 1 }

  /// Throws unless `original` is what was coded.
  func verify(_ original: [UInt8]) throws(ChunkError) {
    guard ContentChecksum.of(original) == checksum else {
      throw ChunkError(.checksum, "chunk \(number) decodes to \(original.count) bytes with another checksum")
    }
  }
}
