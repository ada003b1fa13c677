/// Where the transfer of a medium stands. A terminal state is never displaced by progress; else the greatest
/// (revision, bytes) stands.
public struct MediaTaskFact: Sendable, Equatable {
  /// The state of a task. The raw values are stored.
  public enum State: Int64, Sendable, CaseIterable {
    /// Accepted and durable.
    case queued = 0
    /// Under way.
    case running = 1
    /// Waiting for another try.
    case retrying = 2
    /// Done.
    case done = 3
    /// Given up.
    case failed = 4
    /// Withdrawn.
    case cancelled = 5

    /// Whether no other state follows.
    public var isTerminal: Bool { self == .done || self == .failed || self == .cancelled }
  }

  /// The own user id.
  public var account: String
  /// Which task. Not empty.
  public var taskID: String
  /// Orders what is told of the task.
  public var revision: Int64
  /// Where it stands.
  public var state: State
  /// The state as the source numbers it.
  public var nativeState: Int64
  /// What else the source tells, as JSON.
  public var payload: [UInt8]

  /// A state of its parts.
  public init(
    account: String, taskID: String, revision: Int64, state: State, nativeState: Int64 = 0, payload: [UInt8] = []
  ) {
    self.account = account
    self.taskID = taskID
    self.revision = revision
    self.state = state
    self.nativeState = nativeState
    self.payload = payload
  }
}
