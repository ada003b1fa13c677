/// How a row of the messages table leaves out what follows from its other parts. The bits stand above the form of the
/// content: in the first number of the column `rest`, and in the third format in the column `content_form`.
struct RowPacking: OptionSet {
  let rawValue: Int64

  /// The content is a text element (of the content type 101, in the third format of any) without what stands around the
  /// text.
  static let bareText = RowPacking(rawValue: 4)
  /// The content came with the copy that gives the row its seq.
  static let contentSeqIsSeq = RowPacking(rawValue: 8)
  /// The creation time is the distance from the send time. Not in rows that are ordered by their creation time: unplaced
  /// ones and those sent here.
  static let createTimeFromSendTime = RowPacking(rawValue: 16)
  /// The server's id takes 16 bytes. From the fourth format on, as the next ones.
  static let packedServerID = RowPacking(rawValue: 32)
  /// There are parts that most messages do not have.
  static let rareParts = RowPacking(rawValue: 64)
  /// Bytes are kept free for what an acknowledgement adds, so that the row stays in its place.
  static let roomForPlace = RowPacking(rawValue: 128)

  private static let forms: Int64 = 3
  /// The content type of bare texts.
  static let textType: Int64 = 101
  private static let (before, after): ([UInt8], [UInt8]) = (Array(#"{"content":""#.utf8), Array(#""}"#.utf8))

  /// The bits and the form of a number.
  static func split(_ number: Int64) -> (packing: RowPacking, form: Int64) {
    (RowPacking(rawValue: number & ~forms), number & forms)
  }

  /// How a row is to be stored.
  static func of(_ row: MessageRow) -> RowPacking {
    var packing: RowPacking = []
    if row.contentForm == BodyVersion.Form.element.rawValue, row.contentType == textType, isWrapped(row.content) {
      packing.insert(.bareText)
    }
    if row.contentSeq == row.seq { packing.insert(.contentSeqIsSeq) }
    let (distance, overflows) = row.createTime.subtractingReportingOverflow(row.sendTime)
    if row.sendTime > 0, !overflows, Int64(Int32(truncatingIfNeeded: distance)) == distance,
      !row.marks.contains(.sentHere)
    {
      packing.insert(.createTimeFromSendTime)
    }
    if case .packed = row.serverID { packing.insert(.packedServerID) }
    if row.face != 0 || !row.ex.isEmpty || !row.attached.isEmpty || !row.extra.isEmpty { packing.insert(.rareParts) }
    if row.evidence == 0, row.sendTime == 0 { packing.insert(.roomForPlace) }
    return packing
  }

  /// The content that stored bytes stand for.
  func content(_ stored: UnsafeRawBufferPointer) -> [UInt8] {
    guard contains(.bareText) else { return [UInt8](stored) }
    var content: [UInt8] = []
    content.reserveCapacity(Self.before.count + stored.count + Self.after.count)
    content += Self.before
    content += stored
    content += Self.after
    return content
  }

  /// Gives `body` the bytes that are stored of a content.
  func withStored(_ content: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) {
    content.withUnsafeBytes {
      guard contains(.bareText) else { return body($0) }
      body(UnsafeRawBufferPointer(rebasing: $0.dropFirst(Self.before.count).dropLast(Self.after.count)))
    }
  }

  private static func isWrapped(_ content: [UInt8]) -> Bool {
    content.count >= before.count + after.count && content.starts(with: before)
      && content.suffix(after.count).elementsEqual(after)
  }
}
