/// What a message is to its reader, after everything known of it (receiving spec §2.7).
public enum MessageDisplayState: String, Sendable, CaseIterable {
  /// Deleted, cleared, filtered or burned: in no list.
  case hidden
  /// Taken back.
  case recalled
  /// The server has it.
  case sent
  /// A device of the receiver has it.
  case delivered
  /// The receiver has read it.
  case read
  /// Waits in the outbox.
  case queued
  /// On its way.
  case sending
  /// Given up by this client.
  case failed
  /// Withdrawn before the server had it.
  case cancelled

  /// The state of a message of these components. A recall of a message that the server does not have is held: it shows
  /// once the server has the message.
  init(isHidden: Bool, isRecalled: Bool, evidence: ServerEvidence, step: SendFact.Step?) {
    self =
      switch (isHidden, evidence) {
      case (true, _): .hidden
      case (false, .none): Self.local(step)
      case (false, _) where isRecalled: .recalled
      case (false, .sent): .sent
      case (false, .delivered): .delivered
      case (false, .read): .read
      }
  }

  private static func local(_ step: SendFact.Step?) -> MessageDisplayState {
    switch step {
    case .queued, nil: .queued
    case .sending: .sending
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }
}
