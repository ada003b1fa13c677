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

  /// A number that is often small and may be negative: the sign goes into the lowest bit.
  mutating func add(signed number: Int64) { add(number &<< 1 ^ number &>> 63) }

  mutating func add(raw more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  mutating func add(zeros count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

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

/// Reads what ``PackedWriter`` wrote where it lies, for the length of a call. What lacks is read as nothing and noted.
struct PackedView {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  /// Whether bytes were missing.
  private(set) var isCutOff = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func number() -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) &<< shift
      if byte & 0x80 == 0 { return Int64(bitPattern: value) }
      shift += 7
    }
    isCutOff = true
    return 0
  }

  mutating func signedNumber() -> Int64 {
    let number = UInt64(bitPattern: number())
    return Int64(bitPattern: number &>> 1) ^ -Int64(bitPattern: number & 1)
  }

  mutating func text() -> String { String(decoding: raw(Int(clamping: number())), as: UTF8.self) }

  mutating func array() -> [UInt8] { [UInt8](raw(Int(clamping: number()))) }

  /// So many bytes as they are.
  mutating func raw(_ count: Int) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= bytes.count - offset else {
      isCutOff = true
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  /// All that is left.
  mutating func rest() -> UnsafeRawBufferPointer { raw(bytes.count - offset) }
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
