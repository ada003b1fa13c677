/// What a verification came to, rule by rule.
public struct VerificationReport: Sendable, Hashable, CustomStringConvertible {
  /// What became of one rule.
  public enum Verdict: Sendable, Hashable {
    /// Held in this many simulated runs.
    case held(runs: Int)
    /// Cannot be checked here, and why.
    case notApplicable(String)
  }

  /// Name of what was verified.
  public let name: String
  /// Every rule with its verdict.
  public internal(set) var verdicts: [Rule: Verdict]
  /// What broke no rule and may be meant otherwise all the same.
  public internal(set) var notes: [String] = []

  /// The rules that were checked.
  public var checked: [Rule] {
    Rule.allCases.filter { if case .held = verdicts[$0] { true } else { false } }
  }

  /// One line a rule, and one a note.
  public var description: String {
    let lines = Rule.allCases.map { rule in
      switch verdicts[rule] {
      case .held(let runs): "  \(rule.rawValue) held in \(runs) runs: \(rule.summary)"
      case .notApplicable(let reason): "  \(rule.rawValue) not applicable: \(reason)"
      case nil: "  \(rule.rawValue) not checked"
      }
    }
    return (["\"\(name)\":"] + lines + notes.map { "  note: \($0)" }).joined(separator: "\n")
  }
}
