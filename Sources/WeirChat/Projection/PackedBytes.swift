import WeirStore

/// Numbers and texts as bytes, for columns that hold a whole value: numbers with seven bits a byte, lowest first, the
/// high bit set on all but the last; texts and bytes after their length.
struct PackedWriter {
  private(set) var bytes: [UInt8] = []

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func add(_ number: Int64) {
    var rest = UInt64(bitPattern: number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func add(_ text: String) {
    add(Int64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func add(_ more: [UInt8]) {
    add(Int64(more.count))
    bytes.append(contentsOf: more)
  }
}

/// Reads what ``PackedWriter`` wrote.
struct PackedReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether everything has been read.
  var isAtEnd: Bool { offset == bytes.count }

  mutating func number() throws(StoreError) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return Int64(bitPattern: value) }
      shift += 7
    }
    throw StoreError(.corrupt, "a packed number does not end")
  }

  mutating func text() throws(StoreError) -> String { String(decoding: try slice(), as: UTF8.self) }

  mutating func rest() throws(StoreError) -> [UInt8] { Array(try slice()) }

  private mutating func slice() throws(StoreError) -> ArraySlice<UInt8> {
    let count = try number()
    guard count >= 0, count <= bytes.count - offset else { throw StoreError(.corrupt, "packed bytes are cut off") }
    defer { offset += Int(count) }
    return bytes[offset..<(offset + Int(count))]
  }
}

extension SeqIntervals {
  /// The stored form: for each range the distance to the end of the one before, and its length less one.
  var packed: [UInt8] {
    if ranges.isEmpty { return [] }
    var writer = PackedWriter()
    writer.reserve(ranges.count * 6)
    var end: Int64 = 0
    for range in ranges {
      writer.add(range.lowerBound - end)
      writer.add(range.upperBound - range.lowerBound)
      end = range.upperBound
    }
    return writer.bytes
  }

  /// Reads the stored form.
  init(packed bytes: [UInt8]) throws(StoreError) {
    self.init()
    var reader = PackedReader(bytes)
    var end: Int64 = 0
    while !reader.isAtEnd {
      let (low, isLate) = end.addingReportingOverflow(try reader.number())
      let (high, isLong) = low.addingReportingOverflow(try reader.number())
      guard !isLate, !isLong, low > end, high >= low else { throw StoreError(.corrupt, "a set of seqs is damaged") }
      insert(low...high)
      end = high
    }
  }
}
