import Weir

/// A stage broke a rule: which, under which seed, and how to see it again.
public struct VerificationFailure: CodedError, CustomStringConvertible {
  public let code = "verification-failed"
  /// Name of what was verified.
  public let name: String
  /// The broken rule.
  public let rule: Rule
  /// The seed of the run that broke it.
  public let seed: UInt64
  /// What the rule asks for here.
  public let expected: String
  /// What happened instead.
  public let seen: String
  /// How to run that seed again.
  public let replay: ReplayInstruction

  /// All of it, in three lines.
  public var description: String {
    "\"\(name)\" breaks \(rule.rawValue) (\(rule.summary)) with seed \(seed)\nexpected: \(expected); seen: \(seen)\n\(replay)"
  }
}

/// What one check found wrong.
struct Violation: Error {
  let expected: String
  let seen: String

  /// Throws unless a condition holds.
  static func unless(_ holds: Bool, expected: @autoclosure () -> String, seen: @autoclosure () -> String) throws {
    if !holds { throw Violation(expected: expected(), seen: seen()) }
  }
}
