/// Sets of chunks as ranges, as bits, and as runs.
enum ChunkMap {
  /// Whether ranges are not empty, ascend, do not touch, and stay within bounds.
  static func areAscending(_ ranges: [Range<Int>], within bounds: Range<Int>) -> Bool {
    var end: Int?
    for range in ranges {
      guard !range.isEmpty, range.lowerBound >= bounds.lowerBound, range.upperBound <= bounds.upperBound else {
        return false
      }
      if let end, range.lowerBound <= end { return false }
      end = range.upperBound
    }
    return true
  }

  /// A bit for each chunk from `base` on, the highest of the first byte first; no zero byte at the end. Chunks beyond 240 are left out.
  static func bitmap(_ ranges: [Range<Int>], from base: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for range in ranges {
      for index in range.clamped(to: base..<base + TransferFraming.bitmapSpan) {
        let place = index - base
        while bytes.count <= place / 8 { bytes.append(0) }
        bytes[place / 8] |= 0x80 >> UInt8(place % 8)
      }
    }
    return bytes
  }

  /// The chunks of a bitmap of at most 30 bytes.
  static func ranges(bitmap: [UInt8], from base: Int) throws(TransferError) -> [Range<Int>] {
    guard bitmap.count <= TransferFraming.mapLength else { throw .malformed("a bitmap of \(bitmap.count) bytes") }
    var ranges: [Range<Int>] = []
    var start: Int?
    for place in 0...bitmap.count * 8 {
      let isSet = place < bitmap.count * 8 && bitmap[place / 8] & (0x80 >> UInt8(place % 8)) != 0
      if isSet, start == nil { start = base + place }
      if !isSet, let first = start {
        ranges.append(first..<base + place)
        start = nil
      }
    }
    return ranges
  }

  /// Ranges as lengths of runs, in turn of what is in the set and what is not, from the first range on. Two bytes each; ranges
  /// cannot overlap in this form.
  static func runs(_ ranges: [Range<Int>]) -> [UInt8] {
    var bytes: [UInt8] = []
    var end: Int?
    for range in ranges {
      if let end { bytes.append(range.lowerBound - end, width: 2) }
      bytes.append(range.count, width: 2)
      end = range.upperBound
    }
    return bytes
  }

  /// The chunks of runs of at most 30 bytes.
  static func ranges(runs bytes: [UInt8], from base: Int) throws(TransferError) -> [Range<Int>] {
    guard bytes.count <= TransferFraming.mapLength else { throw .malformed("runs of \(bytes.count) bytes") }
    var reader = ByteReader(bytes[...])
    var ranges: [Range<Int>] = []
    var place = base
    var isMissing = true
    while !reader.rest.isEmpty {
      let length = Int(try reader.short())
      guard length > 0 else { throw .malformed("a run of no chunks") }
      if isMissing { ranges.append(place..<place + length) }
      place += length
      isMissing.toggle()
    }
    guard !isMissing || bytes.isEmpty else { throw .malformed("runs end with what is not missing") }
    return ranges
  }
}
