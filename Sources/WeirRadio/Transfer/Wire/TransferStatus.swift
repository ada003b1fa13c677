/// STATUS: what the receiver lacks. The newest counts.
public struct TransferStatus: Sendable, Equatable {
  /// Rises with each STATUS of a session.
  public var number: UInt16
  /// Distinct chunks that are here.
  public var receivedCount: Int
  /// Up to where it speaks: below it every chunk that is not in `missing` is here; nothing is said of the others.
  public var horizon: Int
  /// The chunks below `horizon` that are missing, in ascending ranges that do not touch.
  public var missing: [Range<Int>]
  /// Signal to noise in quarters of a decibel, -127 to 127; nil where it is not known.
  public var quarterDecibels: Int8?
  /// The rate on which the receiver listens from the next burst on.
  public var rate: UInt8
  /// Milliseconds from the end of this frame until the receiver may send again.
  public var nextTransmission: UInt16

  /// The first chunk that is missing, or the count of chunks.
  public var firstMissing: Int { missing.first?.lowerBound ?? horizon }

  /// Speaks of as many chunks as one frame can.
  /// - Parameters:
  ///   - number: higher than in any STATUS before.
  ///   - missing: every chunk that is missing, in ascending ranges that do not touch; empty when the content is whole.
  ///   - geometry: which chunks there are; what is missing beyond them is left out.
  ///   - quarterDecibels: signal to noise, in quarters of a decibel.
  ///   - rate: on which the receiver listens next.
  ///   - nextTransmission: milliseconds until it may send again.
  public init(
    number: UInt16, missing: [Range<Int>], of geometry: TransferGeometry, quarterDecibels: Int8? = nil, rate: UInt8,
    nextTransmission: UInt16 = 0
  ) {
    let missing = missing.map { $0.clamped(to: 0..<geometry.count) }.filter { !$0.isEmpty }
    let count = geometry.count
    self.number = number
    receivedCount = count - missing.reduce(0) { $0 + $1.count }
    self.quarterDecibels = quarterDecibels
    self.rate = rate
    self.nextTransmission = nextTransmission
    let first = missing.first?.lowerBound ?? count
    let mostRanges = (TransferFraming.mapLength + 2) / 4
    let byBits = min(count, first + TransferFraming.bitmapSpan)
    let byRuns = missing.count > mostRanges ? missing[mostRanges].lowerBound : count
    let horizon = (missing.last?.upperBound ?? 0) <= byBits ? count : max(byBits, byRuns)
    self.horizon = horizon
    self.missing = missing.map { $0.clamped(to: 0..<horizon) }.filter { !$0.isEmpty }
  }

  private var map: (form: UInt8, bytes: [UInt8]) {
    let runs = ChunkMap.runs(missing)
    let span = (missing.last?.upperBound ?? firstMissing) - firstMissing
    let bits = (span + 7) / 8
    return runs.count < bits ? (1, runs) : (0, ChunkMap.bitmap(missing, from: firstMissing))
  }

  var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(firstMissing, width: 2)
    bytes.append(receivedCount, width: 2)
    bytes.append(horizon, width: 2)
    bytes.append(UInt8(bitPattern: quarterDecibels ?? .min))
    bytes.append(rate)
    bytes.append(nextTransmission, width: 2)
    let map = map
    bytes.append(map.form)
    return bytes + map.bytes
  }

  init(number: UInt16, _ reader: inout ByteReader) throws(TransferError) {
    self.number = number
    let first = Int(try reader.short())
    receivedCount = Int(try reader.short())
    horizon = Int(try reader.short())
    let signal = Int8(bitPattern: try reader.byte())
    quarterDecibels = signal == .min ? nil : signal
    rate = try reader.byte()
    nextTransmission = try reader.short()
    let form = try reader.byte()
    let map = reader.remaining()
    switch form {
    case 0: missing = try ChunkMap.ranges(bitmap: map, from: first)
    case 1: missing = try ChunkMap.ranges(runs: map, from: first)
    default: throw .malformed("a STATUS has a map of form \(form)")
    }
    guard firstMissing == first else { throw .malformed("the first missing chunk of a STATUS is not missing") }
  }

  func check(_ geometry: TransferGeometry) throws(TransferError) {
    let count = geometry.count
    guard 0...count ~= horizon, ChunkMap.areAscending(missing, within: 0..<horizon) else {
      throw .malformed("a STATUS speaks of chunks that do not exist, or in no order")
    }
    guard firstMissing < horizon || firstMissing == count else {
      throw .malformed("a STATUS names no missing chunk and says that some are")
    }
    let listed = missing.reduce(0) { $0 + $1.count }
    guard horizon - listed...count - listed ~= receivedCount else {
      throw .malformed("a STATUS counts \(receivedCount) chunks and lists \(listed) of \(count) as missing")
    }
    guard map.bytes.count <= TransferFraming.mapLength,
      map.form == 1 || (missing.last?.upperBound ?? firstMissing) - firstMissing <= TransferFraming.bitmapSpan
    else { throw .malformed("a STATUS lists more than one frame can say") }
    guard quarterDecibels != .min else { throw .malformed("a signal of -128 quarters of a decibel stands for none") }
  }
}
