/// How to run one seed again: a shell line and a call.
public struct ReplayInstruction: Equatable, Sendable, CustomStringConvertible {
  /// The seed to run.
  public var seed: UInt64
  /// A regular expression for `swift test --filter` that selects the test.
  public var filter: String

  /// Makes the instruction for the test that wrote `fileID` and `function`, as the literals `#fileID` and `#function`.
  public init(seed: UInt64, fileID: String, function: String) {
    self.seed = seed
    let module = fileID.prefix { $0 != "/" }
    let name = function.prefix { $0 != "(" }.filter { $0 != "`" }
    // Whatever could mean something to the shell or to a regular expression becomes "any character".
    let safe = name.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == " " ? $0 : "." }
    filter = "\(module).*\(String(safe))"
  }

  /// The shell line that runs only this seed of the test.
  public var command: String { "WEIR_SEED=\(seed) swift test --filter '\(filter)'" }

  /// The call that runs only this seed.
  public var call: String { "try simulate(seed: \(seed)) { simulation in … }" }

  /// Both, on one line.
  public var description: String { "replay: \(command)   or: \(call)" }
}
