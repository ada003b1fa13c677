/// The figures that `--check` holds a run against, by the name of the comparison: about half of what was measured for
/// speed-ups and about twice for costs, since machines that run this are shared and noisy; never so loose that a lost
/// specialisation or a wake-up for each element would pass.
enum Thresholds {
  static let table: [String: Double] = [:]
}
