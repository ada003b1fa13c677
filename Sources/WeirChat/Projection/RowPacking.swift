import WeirStore

/// How a row of the messages table leaves out what follows from its other columns. The bits stand above the form in the
/// column `content_form`; rows of the first two formats have none of them. Checksums and joins know the values themselves.
struct RowPacking: OptionSet {
  let rawValue: Int64

  /// The content is a text element without what stands around the text.
  static let bareText = RowPacking(rawValue: 4)
  /// The content came with the copy that gives the row its seq.
  static let contentSeqIsSeq = RowPacking(rawValue: 8)
  /// The creation time is the distance from the send time. Not in rows that are ordered by their creation time: unplaced
  /// ones and those sent here.
  static let createTimeFromSendTime = RowPacking(rawValue: 16)

  private static let forms: Int64 = 3
  private static let (before, after): ([UInt8], [UInt8]) = (Array(#"{"content":""#.utf8), Array(#""}"#.utf8))

  /// The bits and the form of a column.
  static func split(_ column: Int64) -> (packing: RowPacking, form: Int64) {
    (RowPacking(rawValue: column & ~forms), column & forms)
  }

  /// How a row is to be stored, and what its creation time is then.
  static func of(
    content: [UInt8], form: BodyVersion.Form, contentSeq: Int64, seq: Int64, createTime: Int64, sendTime: Int64,
    marks: MessageMarks
  ) -> (packing: RowPacking, createTime: Int64) {
    var packing: RowPacking = []
    if form == .element, isWrapped(content) { packing.insert(.bareText) }
    if contentSeq == seq, seq > 0 { packing.insert(.contentSeqIsSeq) }
    let (distance, overflows) = createTime.subtractingReportingOverflow(sendTime)
    if sendTime > 0, !overflows, Int64(Int32(truncatingIfNeeded: distance)) == distance, !marks.contains(.sentHere) {
      packing.insert(.createTimeFromSendTime)
      return (packing, distance)
    }
    return (packing, createTime)
  }

  /// The content that a column holds.
  func content(_ statement: Statement, _ column: Int32) -> [UInt8] {
    guard contains(.bareText) else { return statement.bytes(column) }
    return statement.withBytes(column) { text in
      var content: [UInt8] = []
      content.reserveCapacity(Self.before.count + text.count + Self.after.count)
      content += Self.before
      content += text
      content += Self.after
      return content
    }
  }

  /// Binds the content as its column holds it.
  func bind(_ content: [UInt8], to statement: Statement, at index: Int32) {
    guard contains(.bareText) else { return statement.bind(content, at: index) }
    content.withUnsafeBytes {
      statement.bind(
        UnsafeRawBufferPointer(rebasing: $0.dropFirst(Self.before.count).dropLast(Self.after.count)), at: index)
    }
  }

  private static func isWrapped(_ content: [UInt8]) -> Bool {
    content.count >= before.count + after.count && content.starts(with: before)
      && content.suffix(after.count).elementsEqual(after)
  }
}
