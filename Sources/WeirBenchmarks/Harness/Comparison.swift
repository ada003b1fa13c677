/// What one case has to be against another, measured in the same run.
struct Comparison: Sendable {
  enum Kind: Sendable {
    /// reference ÷ subject: how many times faster the subject is. More is better.
    case speedup
    /// subject ÷ reference: how many times the reference's cost. Less is better.
    case cost
    /// (subject − reference) ÷ parts: what is added for each part. Less is better.
    case added(parts: Double)
    /// The subject's reading by itself. Less is better.
    case reading
    /// The subject's reading by itself. More is better.
    case amount
  }

  let subject: String
  let reference: String?
  let kind: Kind
  /// What is aimed at; nil where the figure is only watched.
  let goal: Double?

  /// How many times faster than the reference.
  static func speedup(_ subject: String, over reference: String, goal: Double? = nil) -> Comparison {
    Comparison(subject: subject, reference: reference, kind: .speedup, goal: goal)
  }

  /// How many times the cost of the reference.
  static func cost(_ subject: String, of reference: String, goal: Double? = nil) -> Comparison {
    Comparison(subject: subject, reference: reference, kind: .cost, goal: goal)
  }

  /// What the subject costs more than the reference, divided by a number of parts.
  static func added(_ subject: String, to reference: String, parts: Double, goal: Double? = nil) -> Comparison {
    Comparison(subject: subject, reference: reference, kind: .added(parts: parts), goal: goal)
  }

  /// The reading by itself.
  static func reading(_ subject: String, goal: Double? = nil) -> Comparison {
    Comparison(subject: subject, reference: nil, kind: .reading, goal: goal)
  }

  /// The reading by itself, of which there cannot be too much.
  static func atLeast(_ subject: String, goal: Double? = nil) -> Comparison {
    Comparison(subject: subject, reference: nil, kind: .amount, goal: goal)
  }

  /// The name under which a threshold is stored.
  var name: String {
    guard let reference else { return subject }
    return switch kind {
    case .speedup: "\(subject) faster than \(reference)"
    case .cost: "\(subject) against \(reference)"
    case .added: "\(subject) on top of \(reference)"
    case .reading, .amount: subject
    }
  }

  /// Whether more is better.
  var wantsMore: Bool {
    switch kind {
    case .speedup, .amount: true
    case .cost, .added, .reading: false
    }
  }

  /// The figure for two readings.
  func value(subject: Double, reference: Double) -> Double {
    switch kind {
    case .speedup: subject > 0 ? reference / subject : .infinity
    case .cost: reference > 0 ? subject / reference : .infinity
    case .added(let parts): (subject - reference) / parts
    case .reading, .amount: subject
    }
  }

  /// Whether a figure is at least as good as a bound.
  func isMet(_ value: Double, bound: Double) -> Bool { wantsMore ? value >= bound : value <= bound }
}

/// A group of cases that are measured in turn and compared with one another.
struct Family: Sendable {
  let name: String
  let title: String
  let cases: [Case]
  let comparisons: [Comparison]
  /// Memory is read once: what a first round leaves in the allocator would hide what a second one takes.
  var rounds: Int?
}
