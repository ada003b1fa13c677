import Weir

/// A stage broke a rule, or did something else that it should not: what, under which seed, and how to see it again.
public struct VerificationFailure: CodedError, CustomStringConvertible {
  /// What kind of fault was found.
  public enum Finding: Sendable, Hashable {
    /// The rule itself is broken.
    case brokenRule
    /// The outputs are not those of the inputs.
    case wrongOutputs
    /// Nothing could move the run any more, though it had not ended.
    case stalled
    /// The run, or something the stage needs, threw an error.
    case threwError
    /// There are no inputs, so that nothing could have gone wrong.
    case noInputs
  }

  public let code = "verification-failed"
  /// Name of what was verified.
  public let name: String
  /// The rule that was being checked: the broken one when that is the finding.
  public let rule: Rule
  /// What kind of fault it is.
  public let finding: Finding
  /// The seed of the run that showed it.
  public let seed: UInt64
  /// What the rule asks for here.
  public let expected: String
  /// What happened instead.
  public let seen: String
  /// What to tell the suite if the stage is meant to do so; nil where no stage may.
  public let advice: String?
  /// How to run that seed again.
  public let replay: ReplayInstruction

  /// All of it, in three lines, and the advice in a fourth.
  public var description: String {
    let checked = "with seed \(seed), while \(rule.rawValue) was checked"
    let first =
      switch finding {
      case .brokenRule: "\"\(name)\" breaks \(rule.rawValue) (\(rule.summary)) with seed \(seed)"
      case .wrongOutputs: "\"\(name)\" gives other outputs than it should \(checked)"
      case .stalled: "\"\(name)\" stops for ever \(checked)"
      case .threwError: "\"\(name)\" ends with an error \(checked)"
      case .noInputs: "\"\(name)\" was given nothing to work on"
      }
    let lines = "\(first)\nexpected: \(expected); seen: \(seen)\n\(replay)"
    return advice.map { "\(lines)\n\($0)" } ?? lines
  }
}

extension String {
  /// The advice for a stage that ends before its input does.
  static var mayFinishEarly: String {
    "If the stage may finish before its input does, as a prefix does, say so: set `mayFinishEarly` of the options to true. "
      + "A process that catches the failure of its input instead has to let it through."
  }
}

/// What one check found wrong.
struct Violation: Error {
  let expected: String
  let seen: String
  /// The broken rule, where it is another than the one that was being checked.
  var rule: Rule?
  var finding = VerificationFailure.Finding.brokenRule
  var advice: String?

  /// Throws unless a condition holds.
  static func unless(_ holds: Bool, expected: @autoclosure () -> String, seen: @autoclosure () -> String) throws {
    if !holds { throw Violation(expected: expected(), seen: seen()) }
  }
}
