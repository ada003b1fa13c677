import CZstd

/// What both ends know beforehand about texts, so that a message of 60 bytes has something to refer to.
///
/// A dictionary is named by 16 bits of a hash over all that it is, so equal ids mean equal dictionaries but for
/// accidents (1 in 65,536 for two dictionaries), which a ``DictionarySet`` refuses.
public struct CompressionDictionary: Sendable, Hashable {
  /// Names it on the wire; never 0.
  public let id: UInt16
  /// The dictionary as zstd makes it, or any text at all.
  public let bytes: [UInt8]
  /// The alphabet in which small messages are written before they are looked up; nil for their own bytes. A
  /// dictionary with an alphabet serves ``SmallMessageCodec`` alone.
  public let alphabet: TextAlphabet?
  let digest: DictionaryDigest

  /// Most bytes of a dictionary.
  public static var mostBytes: Int { 1 << 20 }

  /// A dictionary from its bytes.
  /// - Throws: `badDictionary` when there are fewer than 8 bytes or more than 1 MiB, or the header of a trained one
  ///   is damaged.
  public init(_ bytes: [UInt8], alphabet: TextAlphabet? = nil) throws(ChunkError) {
    guard (8...Self.mostBytes).contains(bytes.count) else {
      throw ChunkError(.badDictionary, "\(bytes.count) bytes: use 8 to \(Self.mostBytes)")
    }
    self.bytes = bytes
    self.alphabet = alphabet
    digest = try DictionaryDigest(bytes)
    var named = bytes
    for character in alphabet?.characters ?? [] { named.append(bigEndian: character.value) }
    let hash = UInt16(truncatingIfNeeded: named.withUnsafeBytes(ContentChecksum.xxh64))
    id = hash == 0 ? 1 : hash
  }

  /// The number that a trained dictionary carries inside, by which frames of other programs may name it; else 0.
  var zstdNumber: UInt32 { bytes.withUnsafeBytes { ZSTD_getDictID_fromDict($0.baseAddress, $0.count) } }

  /// Throws when the dictionary is one for small messages alone.
  func admitPayloads() throws(ChunkError) {
    guard alphabet == nil else {
      throw ChunkError(.badParameter, "dictionary \(id) has an alphabet, so it serves small messages alone")
    }
  }

  public static func == (left: CompressionDictionary, right: CompressionDictionary) -> Bool {
    left.id == right.id && left.bytes == right.bytes && left.alphabet == right.alphabet
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A dictionary made ready for decoding.
final class DictionaryDigest: @unchecked Sendable {
  // Safety: the pointer is set once, and what it points to is only read: zstd documents that a digested dictionary
  // may be used by several threads at once. It is freed when nobody refers to it any more.
  let pointer: OpaquePointer

  init(_ bytes: [UInt8]) throws(ChunkError) {
    guard let pointer = bytes.withUnsafeBytes({ ZSTD_createDDict($0.baseAddress, $0.count) }) else {
      throw ChunkError(.badDictionary, "zstd does not take these \(bytes.count) bytes for a dictionary")
    }
    self.pointer = pointer
  }

  deinit { ZSTD_freeDDict(pointer) }
}
