/// A stage whose parameters make no sense was put behind a sequence, or a hub was joined with such.
///
/// Inside a graph the same faults are reported by `Blueprint.init`.
public struct StageFaults: CodedError, Hashable, CustomStringConvertible {
  public let code = "stage-faults"
  /// Type of the stage, or of the hub.
  public let stage: String
  /// What is wrong and what to do, in words.
  public let faults: [String]

  @usableFromInline
  init(stage: String, faults: [String]) {
    self.stage = stage
    self.faults = faults
  }

  public var description: String { "\(stage) cannot be used: \(faults.joined(separator: "; "))" }

  /// Throws the faults of a stage, if there are any.
  @inlinable
  static func check(_ stage: Any.Type, _ faults: [String]) throws(StageFaults) {
    if !faults.isEmpty { throw StageFaults(stage: "\(stage)", faults: faults) }
  }
}
