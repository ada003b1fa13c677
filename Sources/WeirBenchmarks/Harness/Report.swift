/// What one case measured.
struct CaseReport: Codable {
  let name: String
  let unit: String
  let median: Double
  let least: Double
  let most: Double

  init(_ measured: Case, readings: [Double]) {
    let sorted = readings.sorted()
    name = measured.name
    unit = measured.unit.rawValue
    median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    least = sorted.first ?? .nan
    most = sorted.last ?? .nan
  }
}

/// What one comparison came to.
struct ComparisonReport: Codable {
  let name: String
  let value: Double
  let wantsMore: Bool
  let goal: Double?
  let reachesGoal: Bool?
  let threshold: Double?
  let withinThreshold: Bool?

  init(_ comparison: Comparison, value: Double) {
    name = comparison.name
    self.value = value
    wantsMore = comparison.wantsMore
    goal = comparison.goal
    reachesGoal = comparison.goal.map { comparison.isMet(value, bound: $0) }
    threshold = Thresholds.table[comparison.name]
    withinThreshold = threshold.map { comparison.isMet(value, bound: $0) }
  }
}

extension ComparisonReport {
  /// The better one of two measurements of the same comparison.
  func better(_ other: ComparisonReport) -> ComparisonReport {
    (wantsMore ? other.value > value : other.value < value) ? other : self
  }
}

struct FamilyReport: Codable {
  let family: String
  let title: String
  let cases: [CaseReport]
  let comparisons: [ComparisonReport]
}

extension FamilyReport {
  /// Whether any figure is worse than its threshold.
  var isWorse: Bool { comparisons.contains { $0.withinThreshold == false } }

  /// The cases of a repetition, and of each comparison the better one: what a busy minute of the machine has spoilt does
  /// not count, what is slow every time does.
  func better(_ other: FamilyReport) -> FamilyReport {
    FamilyReport(
      family: family, title: title, cases: other.cases,
      comparisons: zip(comparisons, other.comparisons).map { $0.better($1) })
  }

  /// The report as a table for people.
  var text: String { family == radio.name ? gates : figures }

  /// A table of gates: what is asked for, what is aimed at, what was measured; then the cases that have neither.
  private var gates: String {
    let width = cases.map(\.name.count).max() ?? 0
    func row(_ name: String, _ cells: [String], _ rest: String) -> String {
      "  " + name.padded(width) + cells.map { $0.leftPadded(11) }.joined() + "  " + rest
    }
    var lines = ["", "\(family): \(title)", row("", ["gate", "moonshot", "measured"], "")]
    let units = Dictionary(cases.map { ($0.name, $0.unit) }, uniquingKeysWith: { first, _ in first })
    for one in comparisons {
      let sign = one.wantsMore ? "≥ " : "≤ "
      let verdict =
        one.withinThreshold == false
        ? "MISSED" : one.reachesGoal.map { $0 ? "reached" : "passed, moonshot NOT reached" } ?? "passed"
      lines.append(
        row(
          one.name,
          [one.threshold.map { sign + $0.exact } ?? "–", one.goal.map { sign + $0.exact } ?? "–", one.value.exact],
          "\(units[one.name] ?? ""): \(verdict)"))
    }
    let gated = Set(comparisons.map(\.name))
    let others = cases.filter { !gated.contains($0.name) }
    if !others.isEmpty { lines += ["", "  on the same channel:"] }
    for one in others { lines.append(row(one.name, ["", "", one.median.exact], one.unit)) }
    return lines.joined(separator: "\n")
  }

  private var figures: String {
    var lines = ["", "\(family): \(title)"]
    let width = (cases.map(\.name) + comparisons.map(\.name)).map(\.count).max() ?? 0
    for one in cases {
      let spread = one.least == one.most ? "" : "   (\(one.least.short) to \(one.most.short))"
      lines.append("  \(one.name.padded(width))  \(one.median.short.leftPadded(10)) \(one.unit)\(spread)")
    }
    for one in comparisons {
      var line = "  \(one.name.padded(width))  \(one.value.short.leftPadded(10))"
      if let goal = one.goal, let reached = one.reachesGoal {
        line += "   goal \(one.wantsMore ? "≥" : "≤") \(goal.short): \(reached ? "reached" : "NOT reached")"
      }
      if one.withinThreshold == false, let threshold = one.threshold {
        line += "   WORSE than the threshold \(threshold.short)"
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}

extension Double {
  /// Three decimals, or fewer where they say as much.
  var exact: String {
    guard isFinite, abs(self) < 1e6 else { return "\(self)" }
    let rounded = (self * 1_000).rounded() / 1_000
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  /// Three digits or so.
  var short: String {
    guard isFinite else { return "\(self)" }
    if abs(self) >= 100 || self == rounded() { return "\(Int(rounded()))" }
    let scale: Double = abs(self) >= 10 ? 10 : 100
    return "\((self * scale).rounded() / scale)"
  }
}

extension String {
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
  func leftPadded(_ width: Int) -> String { String(repeating: " ", count: Swift.max(0, width - count)) + self }
}
