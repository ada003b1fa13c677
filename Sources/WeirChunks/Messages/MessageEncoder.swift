/// Tries every dictionary, and two ways of searching in it, since neither always wins (together they give 1 to 2 %
/// less than the better of them). Where a dictionary has an alphabet, the text is written in that first.
struct MessageEncoder: ~Copyable {
  private let attempts: [Attempt]

  /// The contexts of one dictionary. A class, since what cannot be copied cannot be in an array; used under the
  /// codec's lock.
  private final class Attempt {
    let optimal: CompressionContext
    let lazy: CompressionContext
    let name: MessageTag.Dictionary
    let alphabet: TextAlphabet?

    init(_ dictionary: CompressionDictionary?) throws(ChunkError) {
      optimal = try CompressionContext(CompressionSettings(level: 19, windowLog: 17), dictionary: dictionary)
      lazy = try CompressionContext(CompressionSettings(level: 12, windowLog: 17), dictionary: dictionary)
      alphabet = dictionary?.alphabet
      name = dictionary.map { ShippedDictionaries.number(of: $0).map { .shipped($0) } ?? .id($0.id) } ?? .none
    }
  }

  init(_ dictionaries: DictionarySet) throws(ChunkError) {
    var attempts: [Attempt] = []
    if dictionaries.dictionaries.isEmpty { attempts.append(try Attempt(nil)) }
    for dictionary in dictionaries.dictionaries { attempts.append(try Attempt(dictionary)) }
    self.attempts = attempts
  }

  var memory: Int { attempts.reduce(0) { $0 + $1.optimal.memory + $1.lazy.memory } }

  /// The smallest coding, the tag counted; nil where the original is as small.
  borrowing func smallest(_ message: [UInt8], hasChecksum: Bool) throws(ChunkError) -> (MessageTag, [UInt8])? {
    var best: (tag: MessageTag, body: [UInt8])?
    var least = 1 + message.count
    func consider(_ coding: MessageTag.Coding, _ name: MessageTag.Dictionary, _ body: ArraySlice<UInt8>) {
      let tag = MessageTag(coding: coding, hasChecksum: hasChecksum, dictionary: name)
      guard tag.size + body.count < least else { return }
      least = tag.size + body.count
      best = (tag, Array(body))
    }
    for attempt in attempts {
      var text = message
      if let alphabet = attempt.alphabet {
        // What is not text, or not shorter in this alphabet, is none of its business.
        guard let written = alphabet.encode(message), written.count < message.count else { continue }
        text = written
        consider(.original, attempt.name, text[...])
      }
      try text.reading { (bytes) throws(ChunkError) in
        for frame in [try attempt.optimal.frame(bytes), try attempt.lazy.frame(bytes)] {
          let shape = try frame.reading { (bytes) throws(ChunkError) in try FrameShape(bytes) }
          if let block = shape.onlyCompressedBlock {
            consider(.block, attempt.name, frame[block])
          } else {
            consider(.frame, attempt.name, frame[FrameHeader.magic.count...])
          }
        }
      }
    }
    return best
  }
}

/// Puts the headers back and decodes, into room that is kept.
struct MessageDecoder: ~Copyable {
  private let context: DecompressionContext
  private let maximumLength: Int
  private let room: UnsafeMutableRawBufferPointer

  init(maximumLength: Int) throws(ChunkError) {
    context = try DecompressionContext()
    self.maximumLength = maximumLength
    room = .allocate(byteCount: maximumLength, alignment: 16)
  }

  deinit { room.deallocate() }

  var memory: Int { context.memory + room.count }

  borrowing func decode(
    _ body: [UInt8], isBlock: Bool, dictionary: CompressionDictionary?
  ) throws(ChunkError) -> [UInt8] {
    guard body.count <= Self.mostBlock else {
      throw ChunkError(.tooLong, "a coded message of \(body.count) bytes")
    }
    var frame = FrameHeader.magic
    if isBlock {
      guard !body.isEmpty else { throw ChunkError(.truncated, "the message ends behind its tag") }
      // No sizes, no checksum, a window of 128 KiB; then the header of a last, compressed block.
      frame += [0, 7 << 3]
      let header = body.count << 3 | 0b101
      frame += [0, 8, 16].map { UInt8(truncatingIfNeeded: header >> $0) }
    }
    frame += body
    return try frame.reading { (bytes) throws(ChunkError) in
      let shape = try FrameShape(bytes)
      try shape.header.admit(DecodingLimits(length: maximumLength, windowLog: 17), dictionary: 0)
      let count = try ChunkError.checked(
        context.decode(bytes, into: room, dictionary: dictionary), while: "decoding a message")
      return Array(room[..<count])
    }
  }

  private static let mostBlock = 1 << 17
}
