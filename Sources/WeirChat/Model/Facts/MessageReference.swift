/// How a fact names the message it is about. A seq may be that of any twin (receiving spec §2.7).
public enum MessageReference: Sendable, Hashable {
  /// By the id the sender's client made. Not empty.
  case clientMsgID(String)
  /// By its place in the conversation. Above 0.
  case seq(Int64)
}
