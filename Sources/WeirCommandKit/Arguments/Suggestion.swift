/// Finds the name that was probably meant.
enum Suggestion {
  /// Longer input is not compared: the cost grows with the product of the lengths.
  private static let longest = 64

  /// The nearest of `candidates`, if it is near: one that starts with `word`, or within a third of its length in edits.
  static func nearest(to word: String, in candidates: [String]) -> String? {
    guard !word.isEmpty, word.utf8.count <= longest else { return nil }
    let ranked = candidates.map { (name: $0, distance: distance(Array(word), Array($0))) }
    guard let best = ranked.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
    if best.distance <= max(1, best.name.count / 3) { return best.name }
    let longer = candidates.filter { $0.hasPrefix(word) }
    return longer.count == 1 ? longer[0] : nil
  }

  /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        let substituted = last[column] + (character == other ? 0 : 1)
        var best = min(substituted, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
