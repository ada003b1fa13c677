import Weir

/// Which commands a message takes in which state (receiving spec §2.7, the table of transitions). What the server and the
/// network tell needs no rule of its own: it joins, and the display state follows.
public enum SendTransitions {
  /// A command on a message.
  public enum Command: String, Sendable, CaseIterable {
    /// Do not send it.
    case cancel
    /// Send it again.
    case retry
    /// Take it back from everybody.
    case recall
  }

  /// What a command comes to.
  public enum Outcome: Sendable, Equatable {
    /// The step to record with the message, as a ``SendFact``.
    case attempt(number: Int64, step: SendFact.Step)
    /// Nothing is to be done: it is so already.
    case nothing
    /// The server is to be asked.
    case askServer
    /// The recall is to be kept until the server has the message, and to be sent then.
    case hold
  }

  /// Why a command is refused.
  public enum Refusal: String, CodedError, Equatable, CaseIterable {
    /// The server has the message: it can only be recalled.
    case alreadySent = "send.already-sent"
    /// The message is on its way.
    case underWay = "send.under-way"
    /// The message was withdrawn; write a new one.
    case withdrawn = "send.withdrawn"
    /// The message was taken back.
    case recalled = "send.recalled"
    /// The message is deleted here.
    case hidden = "send.hidden"
    /// The server never had the message.
    case nothingToRecall = "send.nothing-to-recall"

    /// The stable code.
    public var code: String { rawValue }

    /// What stands in the way, and what to do instead.
    public var description: String {
      switch self {
      case .alreadySent: "\(code): the server has this message; recall it instead"
      case .underWay: "\(code): the message is being sent; wait for the outcome"
      case .withdrawn: "\(code): the message was withdrawn; write a new one"
      case .recalled: "\(code): the message was taken back already"
      case .hidden: "\(code): the message is deleted on this device"
      case .nothingToRecall: "\(code): the server never had this message; delete it instead"
      }
    }
  }

  /// What `command` comes to for a message in `state`, whose latest attempt has `attempt` as its number.
  ///
  /// - Throws: ``Refusal``.
  public static func outcome(
    of command: Command, in state: MessageDisplayState, attempt: Int64 = 1
  ) throws(Refusal) -> Outcome {
    switch (command, state) {
    case (_, .hidden): throw .hidden
    case (_, .recalled): throw .recalled
    case (.cancel, .queued), (.cancel, .sending), (.cancel, .failed): return .attempt(number: attempt, step: .cancelled)
    case (.cancel, .cancelled), (.retry, .queued): return .nothing
    case (.cancel, .sent), (.cancel, .delivered), (.cancel, .read): throw .alreadySent
    case (.retry, .failed): return .attempt(number: attempt == .max ? attempt : attempt + 1, step: .queued)
    case (.retry, .sending): throw .underWay
    case (.retry, .cancelled): throw .withdrawn
    case (.retry, .sent), (.retry, .delivered), (.retry, .read): throw .alreadySent
    case (.recall, .queued), (.recall, .sending), (.recall, .cancelled): return .hold
    case (.recall, .failed): throw .nothingToRecall
    case (.recall, .sent), (.recall, .delivered), (.recall, .read): return .askServer
    }
  }
}
