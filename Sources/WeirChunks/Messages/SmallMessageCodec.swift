import CZstd
import Synchronization

/// Makes small messages smaller: chat texts of 60 bytes, one by one, with a dictionary that both ends hold (radio
/// spec §2).
///
/// A zstd frame around 60 bytes costs 13 of them. Here a message is one byte of tag and a bare block: magic number,
/// frame header, content size, checksum and block header are left out, since the message's own length says all that
/// is needed. Chinese is first written in a ``TextAlphabet``. The smallest of what the dictionaries give is taken,
/// and the original where nothing helps: never more than one byte is added. A dictionary that comes with the library
/// is named in the tag, any other by two bytes more.
///
/// What is decoded is right in length and form, but whether it is what was sent only a checksum tells: ask for one
/// (two bytes) where nothing else protects the message. A radio frame has its own.
///
/// May be shared; calls wait for one another. Memory: see ``memory``; a few MiB for each dictionary, made when first
/// used.
public final class SmallMessageCodec: Sendable {
  /// The dictionaries that this end holds.
  public let dictionaries: DictionarySet
  /// Most bytes of a message, before coding and after decoding.
  public let maximumLength: Int
  private let checksums: Bool
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var encoder: MessageEncoder?
    var decoder: MessageDecoder?
  }

  /// A codec.
  /// - Parameters:
  ///   - dictionaries: those that both ends hold; each message tries all of them.
  ///   - maximumLength: most bytes of a message, 1 to 131,072, the most that one block can hold.
  ///   - checksums: whether two bytes of checksum are added.
  /// - Throws: `badParameter`.
  public init(
    dictionaries: DictionarySet = .shipped, maximumLength: Int = 65_536, checksums: Bool = false
  ) throws(ChunkError) {
    guard (1...1 << 17).contains(maximumLength) else {
      throw ChunkError(.badParameter, "messages of up to \(maximumLength) bytes: use 1 to \(1 << 17)")
    }
    self.dictionaries = dictionaries
    self.maximumLength = maximumLength
    self.checksums = checksums
    state = Mutex(State())
  }

  /// Codes a message.
  /// - Returns: at most one byte more than the message, with a checksum three.
  /// - Throws: `tooLong`, `outOfMemory`.
  public func encode(_ message: [UInt8]) throws(ChunkError) -> [UInt8] {
    guard message.count <= maximumLength else {
      throw ChunkError(.tooLong, "a message of \(message.count) bytes, the limit is \(maximumLength)")
    }
    let (tag, body) =
      try state.withLock { (state) throws(ChunkError) in
        if state.encoder == nil { state.encoder = try MessageEncoder(dictionaries) }
        return try state.encoder?.smallest(message, hasChecksum: checksums)
      } ?? (MessageTag(coding: .original, hasChecksum: checksums, dictionary: .none), message)
    var result: [UInt8] = []
    result.reserveCapacity(tag.size + 2 + body.count)
    tag.append(to: &result)
    if checksums { result.append(bigEndian: Self.checksum(message)) }
    return result + body
  }

  /// The message that was coded.
  /// - Throws: `truncated`, `unknownCodec`, `unknownDictionary`, `corrupt`, `overrun` or `tooLong` for a message
  ///   longer than the limit, `checksum`, `trailing`.
  public func decode(_ bytes: [UInt8]) throws(ChunkError) -> [UInt8] {
    var reader = ByteReader(bytes[...])
    let tag = try MessageTag(&reader)
    let expected = tag.hasChecksum ? try reader.uint16() : nil
    let body = Array(bytes[reader.position...])
    let dictionary = try dictionary(tag.dictionary)
    var message = body
    switch tag.coding {
    case .original:
      guard tag.dictionary == .none || dictionary?.alphabet != nil else {
        throw ChunkError(.corrupt, "the tag names a dictionary for bytes that need none")
      }
      guard body.count <= maximumLength else {
        throw ChunkError(.tooLong, "a message of \(body.count) bytes, the limit is \(maximumLength)")
      }
    case .block, .frame:
      message = try state.withLock { (state) throws(ChunkError) in
        if state.decoder == nil { state.decoder = try MessageDecoder(maximumLength: maximumLength) }
        return try state.decoder?.decode(body, isBlock: tag.coding == .block, dictionary: dictionary) ?? []
      }
    }
    if let alphabet = dictionary?.alphabet { message = try alphabet.decode(message, most: maximumLength) }
    if let expected, expected != Self.checksum(message) {
      throw ChunkError(.checksum, "the message was damaged")
    }
    return message
  }

  /// Bytes that the codec occupies now, without the dictionaries themselves.
  public var memory: Int {
    state.withLock { state in (state.encoder?.memory ?? 0) + (state.decoder?.memory ?? 0) }
  }

  private func dictionary(_ named: MessageTag.Dictionary) throws(ChunkError) -> CompressionDictionary? {
    switch named {
    case .none: return nil
    case .id(let id): return try dictionaries.dictionary(id)
    case .shipped(let number):
      guard let id = ShippedDictionaries.id(of: number) else {
        throw ChunkError(.unknownDictionary, "shipped dictionary \(number) is of a newer version")
      }
      return try dictionaries.dictionary(id)
    }
  }

  private static func checksum(_ message: [UInt8]) -> UInt16 {
    UInt16(truncatingIfNeeded: ContentChecksum.of(message))
  }
}
