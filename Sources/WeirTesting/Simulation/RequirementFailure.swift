/// A requirement of a simulated test did not hold.
public struct RequirementFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What the test said about it.
  public var message: String
  /// The file, as `#fileID`.
  public var fileID: String
  /// The line.
  public var line: Int
  /// The virtual time at which it did not hold.
  public var now: Duration

  /// A stable word for the kind of failure.
  public var code: String { "requirement-failed" }

  /// What did not hold, where and when.
  public var description: String {
    "requirement at \(fileID):\(line) does not hold at virtual time \(now)" + (message.isEmpty ? "" : ": \(message)")
  }
}
