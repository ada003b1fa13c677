/// The receipt of the outbox (kinds 2 to 4): opaque bytes, and where to look if the caller knows.
public struct OutboxReceipt: Sendable, Equatable {
  /// What the outbox said. Not for parsing.
  public var payload: [UInt8]
  /// The message; nil when the caller does not know it.
  public var clientMsgID: String?
  /// Its conversation; nil when the caller does not know it.
  public var conversationID: String?

  /// A receipt of its parts.
  public init(payload: [UInt8] = [], clientMsgID: String? = nil, conversationID: String? = nil) {
    self.payload = payload
    self.clientMsgID = clientMsgID
    self.conversationID = conversationID
  }
}

/// That a transfer moved on (kind 7). Query the task for everything else.
public struct MediaTaskUpdate: Sendable, Equatable {
  /// Which task.
  public var taskID: String
  /// Where it stands, to decide how urgent a query is.
  public var state: Native<MediaTaskFact.State>
  /// The schema of the payload.
  public var schemaVersion: Int64

  /// An update of its parts.
  public init(taskID: String, state: Native<MediaTaskFact.State>, schemaVersion: Int64 = 1) {
    self.taskID = taskID
    self.state = state
    self.schemaVersion = schemaVersion
  }

  /// Whether nothing follows.
  public var isTerminal: Bool { state.known?.isTerminal ?? false }
}
