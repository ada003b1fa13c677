/// What OpenIM attaches to a message (receiving spec §1.2, `attachedInfoElem`), as far as it bears on showing it.
public struct AttachedInfo: Sendable, Equatable {
  /// Whether the message burns after reading.
  public var isPrivate = false
  /// Seconds the message stays after it was read; 0 when not told, and then the conversation's value holds.
  public var burnDuration: Int64 = 0
  /// When it was read, in milliseconds since 1970; 0 when not told.
  public var hasReadTime: Int64 = 0
  /// Members of a group who have read it, as far as they are named.
  public var readerIDs: [String] = []
  /// How many members have read it, as the server counts; it may name fewer.
  public var readCount: Int64 = 0

  /// Nothing attached.
  public init() {}

  /// Reads the JSON of the attached information. What cannot be read counts as not told: the message is what matters.
  public init(json: String) {
    var json = json
    self = json.withUTF8 { AttachedInfo($0, 0..<$0.count) }
  }

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    var reader = JSONReader(bytes, range: range)
    if let info = try? AttachedInfo(&reader) { self = info }
  }

  private init(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.skipNull() { return }
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "isPrivateChat": isPrivate = try reader.bool()
      case "burnDuration": burnDuration = max(0, try reader.int64())
      case "hasReadTime": hasReadTime = Timestamp.milliseconds(try reader.int64())
      case "groupHasReadInfo": try readGroup(&reader)
      default: try reader.skipValue()
      }
    }
  }

  private mutating func readGroup(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.skipNull() { return }
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "hasReadUserIDList": readerIDs = try reader.strings()
      case "hasReadCount": readCount = max(0, try reader.int64())
      default: try reader.skipValue()
      }
    }
  }
}

extension Envelope {
  /// The attached information, read. Parsed at each call.
  public var attached: AttachedInfo { AttachedInfo(json: attachedInfo) }

  /// When a message that burns after reading goes, in milliseconds since 1970: its own duration after it was read, or
  /// that of the conversation when it names none (receiving spec D14). Nil while it is unread, and when neither names one.
  ///
  /// - Parameters:
  ///   - readTime: when it was read, in milliseconds since 1970; 0 while it is unread.
  ///   - fallback: seconds the conversation grants.
  public func burnTime(readAt readTime: Int64, conversation fallback: Int64) -> Int64? {
    let own = attached.burnDuration
    return BurnRule.deadline(
      sendTime: sendTime, isRead: readTime > 0, readTime: readTime, burnDuration: own > 0 ? own : fallback)
  }
}

extension AttachedInfo {
  /// What it says that bears on the state of a message, as components of the lattice.
  var amendments: Amendments {
    var amendments = Amendments()
    amendments.burnDuration = burnDuration
    amendments.reportedReadTime = hasReadTime
    amendments.reportedReaders = readCount
    for reader in readerIDs where !reader.isEmpty { amendments.readers[ByteKey(text: reader)] = 0 }
    return amendments
  }
}
