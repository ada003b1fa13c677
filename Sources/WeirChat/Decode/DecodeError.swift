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
  /// A notice that changes state, whose `detail` cannot be read, and without the id under which it could be kept.
  case unreadableNotice(contentType: Int32)
  /// More parts in one payload than the decoder accepts.
  case tooManyParts(limit: Int)
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
    case .unreadableNotice: "decode.unreadable-notice"
    case .tooManyParts: "decode.too-many-parts"
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
    case .unreadableNotice: "fetch again what the notice is about"
    case .tooManyParts: "deliver the payload in smaller parts"
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
    case .unreadableNotice(let number): "a notice of number \(number) whose notificationElem.detail cannot be read"
    case .tooManyParts(let limit): "more than \(limit) parts in one payload"
    case .unknownShape(let what): "no callback payload: \(what)"
    }
  }
}
