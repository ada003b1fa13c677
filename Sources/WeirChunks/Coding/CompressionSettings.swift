import CZstd

/// How hard to compress, and what a decoder must be able to do.
public struct CompressionSettings: Sendable, Hashable {
  /// The level: 1 is fast, 3 the usual one, 19 for what is sent slowly, 22 the most; below 0 faster still.
  public var level: Int
  /// How far a frame looks back at most, as a power of two: 10 to 27. Decoders refuse more than their own limit.
  public var windowLog: Int
  /// Whether frames end with a checksum of their own, for readers that know nothing of chunks: four bytes.
  public var frameChecksum: Bool

  /// Settings. The defaults: level 3, a window of 1 MiB, no checksum inside the frame.
  public init(level: Int = 3, windowLog: Int = 20, frameChecksum: Bool = false) {
    self.level = level
    self.windowLog = windowLog
    self.frameChecksum = frameChecksum
  }

  /// For files sent by radio, where airtime is the cost: level 19, a window of 512 KiB.
  public static let radioTransfer = CompressionSettings(level: 19, windowLog: 19)

  /// The levels that the zstd library knows.
  public static var levels: ClosedRange<Int> { Int(ZSTD_minCLevel())...Int(ZSTD_maxCLevel()) }

  /// What is wrong with the settings, in words.
  var faults: [String] {
    var faults: [String] = []
    if !Self.levels.contains(level) { faults.append("level \(level) is not in \(Self.levels)") }
    if !(10...27).contains(windowLog) { faults.append("a window of 2^\(windowLog) bytes: use 10 to 27") }
    return faults
  }

  /// Throws when the settings cannot be used.
  func validate() throws(ChunkError) {
    if let fault = faults.first { throw ChunkError(.badParameter, fault) }
  }

  var parameters: [(ZSTD_cParameter, Int32)] {
    [
      (ZSTD_c_compressionLevel, Int32(clamping: level)), (ZSTD_c_windowLog, Int32(clamping: windowLog)),
      (ZSTD_c_checksumFlag, frameChecksum ? 1 : 0), (ZSTD_c_dictIDFlag, 0),
    ]
  }

  /// The same for input whose length is not known. The high levels then take tables for gigabytes (84 MiB at level
  /// 19), of which a small window can use no more than what is set here (19 MiB).
  var streamParameters: [(ZSTD_cParameter, Int32)] {
    guard level >= 13, windowLog <= 21 else { return parameters }
    let tables = Int32(windowLog + 1)
    return parameters + [(ZSTD_c_hashLog, tables), (ZSTD_c_chainLog, tables)]
  }
}
