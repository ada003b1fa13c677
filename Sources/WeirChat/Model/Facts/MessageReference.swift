/// How a fact names the message it is about. A seq may be that of any twin (receiving spec §2.7).
public enum MessageReference: Sendable, Hashable {
  /// By the id the sender's client made. Not empty.
  case clientMsgID(String)
  /// By its place in the conversation. Above 0.
  case seq(Int64)

  /// The client id, when the message is named by it.
  public var clientMsgID: String? {
    if case .clientMsgID(let id) = self { id } else { nil }
  }

  /// Whether it names anything.
  var isValid: Bool {
    switch self {
    case .clientMsgID(let id): !id.isEmpty
    case .seq(let seq): seq > 0
    }
  }
}
