/// What a history query asks for.
public struct HistoryRequest: Sendable, Equatable {
  /// Of which conversation.
  public var conversationID: String
  /// Messages older than this one are wanted; nil for the newest.
  public var startClientMsgID: String?
  /// How many at most.
  public var count: Int
}

/// What a history query was answered with, in any order.
public struct HistoryAnswer: Sendable {
  /// The messages, decoded one by one; rows that were recalled since are recalls.
  public var messages: [Decoded]
  /// Whether the source says that nothing older exists; nil when it says nothing, and then an empty answer means that.
  public var isEnd: Bool?
  /// Whether the source vouches that it left nothing out between the messages of this answer and those asked from. A
  /// client database with holes does not.
  public var isComplete: Bool

  /// An answer of its parts.
  public init(messages: [Decoded], isEnd: Bool?, isComplete: Bool = false) {
    self.messages = messages
    self.isEnd = isEnd
    self.isComplete = isComplete
  }

  /// Reads the result of OpenIM's history query: `messageList`, `isEnd`, and `errCode`, which must be 0.
  ///
  /// A message that cannot be read is a refusal among the others.
  ///
  /// - Throws: `HistoryError.refused` for an error code, `DecodeError` for a result that cannot be read at all.
  public init(json: [UInt8], decoder: OpenIMCallbackDecoder) throws {
    try Payload.demand(json, decoder.lineLimit)
    let list = try json.withUnsafeBufferPointer { bytes in
      try Payload.checked { () throws(JSONError) in
        var reader = JSONReader(bytes)
        let list = try MessageList(&reader)
        try reader.finish()
        return list
      }
    }
    if list.errorCode != 0 { throw HistoryError.refused(code: list.errorCode, message: list.errorMessage) }
    guard list.messages.count <= Payload.partLimit else { throw DecodeError.tooManyParts(limit: Payload.partLimit) }
    messages = list.messages.map { range in
      do throws(DecodeError) {
        return try decoder.decode([UInt8](json[range]), as: .newMessage)
      } catch {
        return .refused(error)
      }
    }
    isEnd = list.isEnd
    isComplete = false
  }
}

private struct MessageList {
  var messages: [Range<Int>] = []
  var isEnd: Bool?
  var errorCode: Int64 = 0
  var errorMessage = ""

  init(_ reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "messageList":
        if try reader.skipNull() { break }
        try reader.beginArray()
        while try reader.nextElement() { messages.append(try reader.skipValue()) }
      case "isEnd": isEnd = try reader.bool()
      case "errCode": errorCode = try reader.int64()
      case "errMsg": errorMessage = try reader.string()
      default: try reader.skipValue()
      }
    }
  }
}

/// One page of a conversation's history.
public struct HistoryPage: Sendable {
  /// Ids that no page before had, newest first: by (send time, seq, id).
  public var clientMsgIDs: [String] = []
  /// The messages of these ids, in the same order; rows that were recalled since are not among them.
  public var messages: [ChatMessage] = []
  /// Everything the answer tells, for the store, copies of earlier pages included: they may tell more by now.
  public var facts: [Fact] = []
  /// Seqs between this page and the ones before for which no message came, and which nobody vouches to be empty.
  public var holes: [ClosedRange<Int64>] = []
  /// Messages that could not be read.
  public var refused: [DecodeError] = []
  /// Whether the beginning of the conversation is reached.
  public var isLast = false
}

/// Why a history cannot be read on.
public enum HistoryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The source answers, says that there is more, but gives nothing older than this message (nil: nothing at all).
  case stalled(cursor: String?)
  /// The source claims the end though older seqs exist.
  case endedEarly(oldestSeq: Int64, firstSeq: Int64)
  /// The query failed at the source.
  case refused(code: Int64, message: String)

  /// Stable code of the case.
  public var code: String {
    switch self {
    case .stalled: "history.stalled"
    case .endedEarly: "history.ended-early"
    case .refused: "history.refused"
    }
  }

  /// What is wrong and what to do about it.
  public var description: String {
    switch self {
    case .stalled(let cursor):
      "the source has more, but gives nothing older than \(cursor ?? "the newest message"); try again later"
    case .endedEarly(let oldest, let first):
      "the source claims the end at seq \(oldest), but the conversation begins at \(first); fetch the seqs between"
    case .refused(let code, let message): "the history query failed with code \(code): \(message)"
    }
  }
}
