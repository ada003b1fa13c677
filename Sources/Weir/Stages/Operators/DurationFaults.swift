/// What is wrong with a stage's duration: it must be above zero, and short enough that clocks can add it to any time
/// they can show.
@usableFromInline
func durationFaults(_ duration: Duration, _ purpose: String) -> [String] {
  if duration <= .zero { return ["\(purpose) for \(duration) is not possible; use more than zero"] }
  if duration > .longest { return ["\(purpose) for \(duration) is longer than a hundred years; use less"] }
  return []
}

extension Duration {
  /// A hundred years.
  static var longest: Duration { .seconds(100 * 365 * 86_400) }
}
