/// What may be done with an own message, given what is known of it: pure rules (receiving spec §3, invariant 16).
public enum OutboxRules {
  /// Withdraws a message from the outbox.
  /// - Parameters:
  ///   - evidence: how far the server vouches for the message.
  ///   - attempt: the number of the present attempt, from 1.
  ///   - step: where the present attempt stands.
  /// - Returns: the fact to store.
  /// - Throws: `ClientError` with the code `outbox.already-sent` when the server has the message: recall it instead;
  ///   `outbox.already-cancelled` when it was withdrawn before.
  public static func cancel(
    _ key: MessageKey, evidence: ServerEvidence, attempt: Int64, step: SendFact.Step
  ) throws(ClientError) -> SendFact {
    guard evidence == .none else {
      throw ClientError(
        domain: "outbox", stableCode: "outbox.already-sent",
        message: "the server has the message; recall it instead of cancelling it")
    }
    guard step != .cancelled else {
      throw ClientError(domain: "outbox", stableCode: "outbox.already-cancelled", message: "it is cancelled already")
    }
    return fact(key, .attempt(number: attempt, step: .cancelled))
  }

  /// Puts a failed message back in the outbox, as the next attempt of the same message: its client id stays.
  /// - Returns: the fact to store.
  /// - Throws: `ClientError` with the code `outbox.already-sent` when the server has it, or `outbox.not-failed` when the
  ///   present attempt has not failed.
  public static func retry(
    _ key: MessageKey, evidence: ServerEvidence, attempt: Int64, step: SendFact.Step
  ) throws(ClientError) -> SendFact {
    guard evidence == .none else {
      throw ClientError(domain: "outbox", stableCode: "outbox.already-sent", message: "the server has the message")
    }
    guard step == .failed, attempt < .max else {
      throw ClientError(domain: "outbox", stableCode: "outbox.not-failed", message: "only a failed message is retried")
    }
    return fact(key, .attempt(number: attempt + 1, step: .queued))
  }

  private static func fact(_ key: MessageKey, _ event: SendFact.Event) -> SendFact {
    SendFact(account: key.account, conversationID: key.conversationID, clientMsgID: key.clientMsgID, event: event)
  }
}
