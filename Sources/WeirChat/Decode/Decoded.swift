/// What one line turned out to be.
public enum Decoded: Sendable, Equatable {
  /// A copy of a message, for the store.
  case message(ChatMessage)
  /// A message was taken back, for the store.
  case recall(RecallFact)
  /// Someone is typing, or has stopped. Never stored.
  case typing(TypingEvent)
  /// A message the server keeps nowhere: one transient event, never stored (receiving spec §2.4).
  case onlineOnly(ChatMessage)
  /// Nothing to do, by rule.
  case ignored(IgnoreReason)

  /// The fact for the store, if there is one.
  public var fact: Fact? {
    switch self {
    case .message(let message): .message(message)
    case .recall(let recall): .recall(recall)
    case .typing, .onlineOnly, .ignored: nil
    }
  }
}

/// Why a well-formed line needs no action (receiving spec §1.7 rules 1 and 2, §2.1, §2.4).
public enum IgnoreReason: Sendable, Equatable {
  /// A message without a client id.
  case emptyClientMsgID
  /// This seq will never carry a message of its own.
  case closedSeq(conversationID: String, seq: Int64)
  /// The account's own typing, come back.
  case ownTyping

  /// Stable code of the reason.
  public var code: String {
    switch self {
    case .emptyClientMsgID: "ignored.empty-client-id"
    case .closedSeq: "ignored.closed-seq"
    case .ownTyping: "ignored.own-typing"
    }
  }
}

/// Someone is typing in a conversation, or has stopped.
public struct TypingEvent: Sendable, Equatable {
  /// The own user id.
  public var account: String
  /// Where.
  public var conversationID: String
  /// Who.
  public var userID: String
  /// The platform number; 0 when the source named none or several.
  public var platformID: Int32
  /// Typing, or stopped.
  public var isTyping: Bool
}

/// Why a line was refused. The line itself is the caller's to keep.
public enum DecodeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line is longer than the decoder accepts, in bytes.
  case lineTooLong(count: Int, limit: Int)
  /// The line is not JSON, or nested too deep.
  case json(JSONError)
  /// A field holds a value of the wrong type or out of range.
  case invalidField(String, JSONError)
  /// A field that the message cannot be placed without is missing or empty.
  case missingField(String)
  /// A number that names no conversation; guessing would misplace the message.
  case unknownSessionType(Int32)
  /// A seq below zero.
  case negativeSeq(Int64)
  /// A recall whose `detail` cannot be read, so that its target is unknown.
  case unreadableRecall
  /// A JSON value that is no callback payload this decoder knows.
  case unknownShape(String)

  /// Stable code of the case.
  public var code: String {
    switch self {
    case .lineTooLong: "decode.line-too-long"
    case .json(let error): error.code
    case .invalidField: "decode.invalid-field"
    case .missingField: "decode.missing-field"
    case .unknownSessionType: "decode.unknown-session-type"
    case .negativeSeq: "decode.negative-seq"
    case .unreadableRecall: "decode.unreadable-recall"
    case .unknownShape: "decode.unknown-shape"
    }
  }

  /// What to do about it. The line is never consumed by a refusal: keep it, and decode it again after the repair.
  public var remedy: String {
    switch self {
    case .lineTooLong: "raise the decoder's line limit if such lines are expected"
    case .json: "have the source write one whole JSON object a line"
    case .invalidField, .negativeSeq: "correct the field at the source"
    case .missingField: "deliver the message with the field that places it"
    case .unknownSessionType: "update this program if the server has a new kind of conversation"
    case .unreadableRecall: "fetch the message again from history, which tells whether it was recalled"
    case .unknownShape: "give this payload to a decoder of its kind"
    }
  }

  /// What is wrong with the line, and what to do about it.
  public var description: String { "\(problem); \(remedy)" }

  private var problem: String {
    switch self {
    case .lineTooLong(let count, let limit): "the line has \(count) bytes, the limit is \(limit)"
    case .json(let error): "\(error)"
    case .invalidField(let name, let error): "field \(name): \(error)"
    case .missingField(let name): "field \(name) is missing or empty"
    case .unknownSessionType(let number): "sessionType \(number) names no kind of conversation"
    case .negativeSeq(let seq): "seq \(seq) is below zero"
    case .unreadableRecall: "a recall whose notificationElem.detail cannot be read"
    case .unknownShape(let what): "no callback payload: \(what)"
    }
  }
}
