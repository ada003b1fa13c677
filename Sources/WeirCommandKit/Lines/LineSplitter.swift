#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Splits blocks of bytes into lines. A pure value: it reads nothing and waits for nothing.
///
/// Memory: at most `limit` + 1 bytes of an unfinished line; of a longer line only its start and its length are kept.
struct LineSplitter: Sendable {
  /// What was found.
  enum Piece: Equatable {
    case line(RawLine)
    case refused(RefusedLine)
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let keptStart = 256

  private let source: Int
  private let limit: Int
  /// Lines completed, also empty and refused ones.
  private(set) var lineCount: Int
  /// Offset of the unfinished line.
  private(set) var offset: Int64
  private var pending: [UInt8] = []
  /// Length so far of a line that is over the limit; 0 while the unfinished line is not.
  private var skippedLength: Int64 = 0
  /// The skipped line's last byte so far, as a CR before the line break does not count.
  private var skippedLast: UInt8 = 0

  /// A splitter at a line's beginning; lines longer than `limit` bytes are refused.
  init(source: Int, limit: Int, position: LinePosition = .start) {
    self.source = source
    self.limit = limit
    lineCount = position.line
    offset = position.offset
  }

  /// Bytes kept of the unfinished line.
  var heldByteCount: Int { pending.count }

  /// The next piece from `block[position..<end]`, moving `position` past what was used. Nil when all of it was used
  /// and the rest of a line is still to come.
  mutating func next(in block: [UInt8], from position: inout Int, to end: Int) -> Piece? {
    while position < end {
      guard let lineEnd = Self.firstLineFeed(in: block, position..<end) else {
        keep(block[position..<end])
        position = end
        return nil
      }
      keep(block[position..<lineEnd])
      position = lineEnd + 1
      if let piece = complete(lineBreak: 1) { return piece }
    }
    return nil
  }

  /// The last line of a file that does not end in a line break, if there is one.
  mutating func finish() -> Piece? {
    pending.isEmpty && skippedLength == 0 ? nil : complete(lineBreak: 0)
  }

  private static func firstLineFeed(in block: [UInt8], _ range: Range<Int>) -> Int? {
    block.withUnsafeBytes { bytes in
      let part = UnsafeRawBufferPointer(rebasing: bytes[range])
      guard let start = part.baseAddress, let found = memchr(start, Int32(lineFeed), part.count) else { return nil }
      return range.lowerBound + (UnsafeRawPointer(found) - start)
    }
  }

  private mutating func keep(_ part: ArraySlice<UInt8>) {
    if skippedLength > 0 || pending.count + part.count > limit + 1 {
      skippedLength += Int64(skippedLength > 0 ? part.count : pending.count + part.count)
      // Only the start is kept; making a new array gives the long one's storage back.
      let start = pending.prefix(Self.keptStart)
      pending = Array(start + part.prefix(Self.keptStart - start.count))
    } else if pending.isEmpty {
      pending = Array(part)
      return
    } else {
      pending.append(contentsOf: part)
      return
    }
    if let last = part.last { skippedLast = last }
  }

  private mutating func complete(lineBreak: Int) -> Piece? {
    let start = offset
    let isSkipped = skippedLength > 0
    let length = isSkipped ? skippedLength : Int64(pending.count)
    let last = isSkipped ? skippedLast : pending.last
    let hasReturn = lineBreak > 0 && last == Self.carriageReturn
    var bytes = pending
    pending = []
    skippedLength = 0
    lineCount += 1
    offset += length + Int64(lineBreak)

    let contentLength = length - (hasReturn ? 1 : 0)
    guard !isSkipped, contentLength <= limit else {
      let prefix = Array(bytes.prefix(Self.keptStart))
      return .refused(
        RefusedLine(
          source: source, number: lineCount, offset: start, length: contentLength, start: prefix, limit: limit))
    }
    if hasReturn { bytes.removeLast() }
    let mark = start == 0 && bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    if mark > 0 { bytes.removeFirst(mark) }
    guard !bytes.isEmpty else { return nil }
    return .line(RawLine(source: source, number: lineCount, offset: start + Int64(mark), bytes: bytes))
  }
}
