/// Where which original bytes are, for chunks that stand for themselves: random access, and resuming in the middle.
///
/// Holds lengths and adds them up, so chunks can neither overlap nor leave holes, whoever wrote the index. 40 bytes
/// of memory and 13 encoded ones a chunk.
public struct ChunkIndex: Sendable, Hashable {
  /// What the index knows of one chunk.
  public struct Entry: Sendable, Hashable {
    /// Where its original bytes are in the whole.
    public let original: Range<Int>
    /// Where its coded bytes are when all chunks lie behind one another, without headers.
    public let coded: Range<Int>
    /// How it is coded.
    public let coding: CodedChunk.Coding
    /// ``ContentChecksum`` of its original bytes.
    public let checksum: UInt32
  }

  /// Where to go on.
  public struct Resumption: Sendable, Hashable {
    /// Number of the next chunk.
    public let number: Int
    /// Original bytes in front of it.
    public let originalOffset: Int
    /// Coded bytes in front of it.
    public let codedOffset: Int
  }

  /// The chunks, in order.
  public private(set) var entries: [Entry] = []
  /// The dictionary that all compressed chunks need.
  public private(set) var dictionary: UInt16?

  /// An index without chunks.
  public init() {}

  /// The index of some chunks.
  /// - Throws: as ``append(_:)``.
  public init(_ chunks: some Sequence<CodedChunk>) throws(ChunkError) {
    for chunk in chunks { try append(chunk) }
  }

  /// Number of chunks.
  public var count: Int { entries.count }
  /// Original bytes of all chunks.
  public var originalLength: Int { entries.last?.original.upperBound ?? 0 }
  /// Coded bytes of all chunks.
  public var codedLength: Int { entries.last?.coded.upperBound ?? 0 }

  /// Adds the next chunk.
  /// - Throws: `needsPredecessors` for a part of a frame, `outOfOrder` for another number than ``count``, `badIndex`
  ///   for a second dictionary or lengths that cannot be.
  public mutating func append(_ chunk: CodedChunk) throws(ChunkError) {
    if chunk.coding == .part {
      throw ChunkError(.needsPredecessors, "chunk \(chunk.number) cannot be read without the ones before it")
    }
    guard Int(chunk.number) == count else {
      throw ChunkError(.outOfOrder, "chunk \(chunk.number) came where \(count) has to follow")
    }
    if let named = chunk.dictionary {
      guard dictionary ?? named == named else {
        throw ChunkError(.badIndex, "chunks with the dictionaries \(dictionary ?? 0) and \(named) in one index")
      }
    }
    try append(
      originalLength: chunk.originalLength, codedLength: chunk.bytes.count, coding: chunk.coding,
      checksum: chunk.checksum)
    dictionary = dictionary ?? chunk.dictionary
  }

  mutating func append(
    originalLength length: Int, codedLength: Int, coding: CodedChunk.Coding, checksum: UInt32
  ) throws(ChunkError) {
    let isPossible =
      switch coding {
      case .original: codedLength == length
      case .frame: codedLength < length
      case .part: false
      }
    let (end, overflow) = originalLength.addingReportingOverflow(length)
    // Coded bytes are never more than original ones, so their sum cannot overflow when the other does not.
    guard isPossible, length >= 0, codedLength >= 0, !overflow else {
      throw ChunkError(.badIndex, "chunk \(count): \(codedLength) coded bytes for \(length) original ones")
    }
    entries.append(
      Entry(
        original: originalLength..<end, coded: self.codedLength..<self.codedLength + codedLength, coding: coding,
        checksum: checksum))
  }

  /// Sets the dictionary that an encoded index names.
  mutating func setDictionary(_ id: UInt16?) { dictionary = id }

  /// Numbers of the chunks that hold original bytes of a range: empty for an empty range.
  /// - Throws: `outOfRange` when the range is not inside the whole.
  public func chunks(holding range: Range<Int>) throws(ChunkError) -> Range<Int> {
    guard range.lowerBound >= 0, range.upperBound <= originalLength else {
      throw ChunkError(.outOfRange, "bytes \(range) of \(originalLength)")
    }
    guard !range.isEmpty else { return 0..<0 }
    let first = firstChunk { $0.original.upperBound > range.lowerBound }
    return first..<firstChunk { $0.original.lowerBound >= range.upperBound }
  }

  /// Where to go on after `number` chunks are there.
  /// - Throws: `outOfRange` when there are fewer chunks.
  public func resumption(at number: Int) throws(ChunkError) -> Resumption {
    guard (0...count).contains(number) else { throw ChunkError(.outOfRange, "chunk \(number) of \(count)") }
    guard number < count else {
      return Resumption(number: number, originalOffset: originalLength, codedOffset: codedLength)
    }
    let entry = entries[number]
    return Resumption(
      number: number, originalOffset: entry.original.lowerBound, codedOffset: entry.coded.lowerBound)
  }

  /// A chunk from its coded bytes.
  /// - Throws: `outOfRange` for a number beyond the index, `badIndex` for another number of bytes than it names.
  public func chunk(_ number: Int, bytes: [UInt8]) throws(ChunkError) -> CodedChunk {
    guard entries.indices.contains(number), let narrow = UInt32(exactly: number) else {
      throw ChunkError(.outOfRange, "chunk \(number) of \(count)")
    }
    let entry = entries[number]
    guard bytes.count == entry.coded.count else {
      throw ChunkError(.badIndex, "chunk \(number) has \(bytes.count) bytes, the index says \(entry.coded.count)")
    }
    return CodedChunk(
      number: narrow, isLast: number == count - 1, coding: entry.coding,
      dictionary: entry.coding == .frame ? dictionary : nil, originalLength: entry.original.count,
      checksum: entry.checksum, bytes: bytes)
  }

  /// Number of the first chunk for which `isBehind` holds; it holds for all that follow.
  private func firstChunk(where isBehind: (Entry) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isBehind(entries[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
