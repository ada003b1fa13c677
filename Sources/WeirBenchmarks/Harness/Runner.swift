/// Measures the cases of a family in turn, so that a slow minute of the machine hits all of them.
struct Runner {
  let options: Options

  /// The families and cases that the filter selects. A case brings along what it is compared to.
  func selected(_ families: [Family]) throws(BenchmarkError) -> [Family] {
    guard let filter = options.filter else { return families }
    let found = families.compactMap { family -> Family? in
      if family.name.contains(filter) { return family }
      var names = Set(family.cases.map(\.name).filter { $0.contains(filter) })
      if names.isEmpty { return nil }
      let comparisons = family.comparisons.filter { names.contains($0.subject) }
      names.formUnion(comparisons.compactMap(\.reference))
      return Family(
        name: family.name, title: family.title, cases: family.cases.filter { names.contains($0.name) },
        comparisons: comparisons, rounds: family.rounds)
    }
    if found.isEmpty { throw .noMatch(filter: filter) }
    return found
  }

  func run(_ family: Family) async throws -> FamilyReport {
    let rounds = family.rounds ?? options.rounds
    var readings: [String: [Double]] = [:]
    if family.rounds == nil && !options.full {
      for one in family.cases { _ = try await measure(one, count: max(1, count(one) / 10)) }
    }
    for _ in 0..<rounds {
      for one in family.cases { readings[one.name, default: []].append(try await measure(one, count: count(one))) }
    }
    let cases = family.cases.map { CaseReport($0, readings: readings[$0.name] ?? []) }
    let medians = Dictionary(cases.map { ($0.name, $0.median) }, uniquingKeysWith: { first, _ in first })
    let comparisons = family.comparisons.compactMap { comparison -> ComparisonReport? in
      guard let subject = medians[comparison.subject] else { return nil }
      let reference = comparison.reference.map { medians[$0] ?? .nan } ?? .nan
      return ComparisonReport(comparison, value: comparison.value(subject: subject, reference: reference))
    }
    return FamilyReport(family: family.name, title: family.title, cases: cases, comparisons: comparisons)
  }

  private func count(_ one: Case) -> Int {
    if options.quick { return max(1, one.count / 10) }
    return options.full ? one.fullCount ?? one.count : one.count
  }

  /// Each measurement is a task of its own on the pool, whatever the caller is isolated to.
  private func measure(_ one: Case, count: Int) async throws -> Double {
    try await Task.detached { try await one.measure(count) }.value
  }
}
