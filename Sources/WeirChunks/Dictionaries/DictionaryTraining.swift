import CZstd

extension CompressionDictionary {
  /// Makes a dictionary from samples of what will be sent: a few hundred messages at least, more than 100 times the
  /// size of the dictionary in all where they can be had.
  ///
  /// With one sample in two held back, the statistics of the dictionary are those of messages it has not seen, which
  /// is what it will meet: about 1.5 % of the size of the messages (measured on the texts of the tests).
  /// - Parameters:
  ///   - samples: one message each.
  ///   - size: most bytes of the dictionary, 512 to 1 MiB; 16 to 64 KiB are usual.
  ///   - alphabet: what small messages are written in first; samples that are not UTF-8 are left out then.
  /// - Throws: `badParameter`, or `badDictionary` when the samples are too few or too small.
  public static func trained(
    on samples: [[UInt8]], size: Int = 65_536, alphabet: TextAlphabet? = nil
  ) throws(ChunkError) -> CompressionDictionary {
    let seen = samples.indices.filter { $0 % 2 == 0 }.map { samples[$0] }
    let unseen = samples.indices.filter { $0 % 2 == 1 }.map { samples[$0] }
    return try trained(on: samples, seen: seen, unseen: unseen, size: size, alphabet: alphabet)
  }

  /// As ``trained(on:size:)``, where the caller knows which samples are independent of each other: the statistics are
  /// those of `unseen` messages, coded with a dictionary made of `seen` ones; the content comes from all samples.
  public static func trained(
    on samples: [[UInt8]], seen: [[UInt8]], unseen: [[UInt8]], size: Int = 65_536, alphabet: TextAlphabet? = nil
  ) throws(ChunkError) -> CompressionDictionary {
    guard (512...mostBytes).contains(size) else {
      throw ChunkError(.badParameter, "a dictionary of \(size) bytes: use 512 to \(mostBytes)")
    }
    func written(_ samples: [[UInt8]]) -> [[UInt8]] {
      alphabet.map { alphabet in samples.compactMap { alphabet.encode($0) } } ?? samples
    }
    let all = try Samples(written(samples)).train(size)
    let content = all[headerSize(all)...]
    // Too few samples to hold some back: the trainer's own statistics then.
    guard let half = try? Samples(written(seen)).train(size) else {
      return try CompressionDictionary(all, alphabet: alphabet)
    }
    let finished = try Samples(written(unseen).spread(8_000)).finish(Array(half[headerSize(half)...]))
    let header = finished[..<headerSize(finished)]
    return try CompressionDictionary(
      Array(header + content.suffix(max(8, size - header.count))), alphabet: alphabet)
  }

  private static func headerSize(_ dictionary: [UInt8]) -> Int {
    let size = dictionary.withUnsafeBytes { ZDICT_getDictHeaderSize($0.baseAddress, $0.count) }
    return ZDICT_isError(size) != 0 ? 0 : min(size, dictionary.count)
  }
}

/// Messages one behind the other, as the trainer wants them.
private struct Samples {
  let bytes: [UInt8]
  let lengths: [Int]

  /// Most bytes of samples that are looked at.
  private static let mostBytes = 256 << 20

  init(_ samples: [[UInt8]]) throws(ChunkError) {
    lengths = samples.map(\.count)
    guard lengths.reduce(0, +) <= Self.mostBytes else {
      throw ChunkError(.badParameter, "more than 256 MiB of samples")
    }
    bytes = Array(samples.joined())
  }

  func train(_ size: Int) throws(ChunkError) -> [UInt8] {
    try made(size) { room in
      ZDICT_trainFromBuffer(room.baseAddress, room.count, bytes, lengths, UInt32(clamping: lengths.count))
    }
  }

  /// Puts statistics of the samples in front of content.
  func finish(_ content: [UInt8]) throws(ChunkError) -> [UInt8] {
    // Level 3 leaves about as many letters unmatched as unseen messages do at the highest levels.
    let parameters = ZDICT_params_t(compressionLevel: 3, notificationLevel: 0, dictID: 0)
    return try made(content.count + 1_024) { room in
      ZDICT_finalizeDictionary(
        room.baseAddress, room.count, content, content.count, bytes, lengths, UInt32(clamping: lengths.count),
        parameters)
    }
  }

  private func made(_ size: Int, _ make: (UnsafeMutableBufferPointer<UInt8>) -> Int) throws(ChunkError) -> [UInt8] {
    var result = 0
    let dictionary = [UInt8](unsafeUninitializedCapacity: size) { room, count in
      result = make(room)
      count = ZDICT_isError(result) != 0 ? 0 : result
    }
    guard !dictionary.isEmpty else {
      throw ChunkError(
        .badDictionary,
        "no dictionary from \(lengths.count) samples of \(bytes.count) bytes; give more ("
          + String(cString: ZDICT_getErrorName(result)) + ")")
    }
    return dictionary
  }
}

extension [[UInt8]] {
  /// At most `count` of them, evenly spread.
  fileprivate func spread(_ count: Int) -> [[UInt8]] {
    guard self.count > count else { return self }
    return (0..<count).map { self[$0 * self.count / count] }
  }
}
