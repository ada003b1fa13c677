/// A piece of a text around the first match, on one line, with all matches inside it.
public struct SearchSnippet: Sendable, Equatable {
  /// The piece; an ellipsis stands where the text goes on.
  public private(set) var text = ""
  /// Where the matches stand in `text`, in order and apart.
  public private(set) var matches: [Range<String.Index>] = []

  private static let lead = 24
  private static let length = 100

  /// - Parameter places: the matches in bytes of the parts, one byte between two parts; in order.
  init(of parts: [String], places: [Range<Int>]) {
    // Character by character, because a match may begin or end inside one.
    var window: [(character: Character, isMatch: Bool)] = []
    var isCut = false
    var goesOn = false
    var offset = 0
    var next = 0
    var found = false
    scan: for (index, part) in parts.enumerated() {
      if index > 0 {
        window.append(("\n", false))
        offset += 1
      }
      for character in part {
        let bytes = offset..<(offset + character.utf8.count)
        offset = bytes.upperBound
        while next < places.count, places[next].upperBound <= bytes.lowerBound { next += 1 }
        let isMatch = next < places.count && places[next].overlaps(bytes)
        if !found, !isMatch, window.count >= Self.lead {
          window.removeFirst()
          isCut = true
        }
        found = found || isMatch
        if window.count >= Self.length {
          goesOn = true
          break scan
        }
        window.append((character, isMatch))
      }
    }
    write(window, isCut: isCut, goesOn: goesOn)
  }

  private mutating func write(_ window: [(character: Character, isMatch: Bool)], isCut: Bool, goesOn: Bool) {
    var text = isCut ? "…" : ""
    // Byte offsets until the text is whole: indices of a text that grows are not to be kept.
    var ranges: [Range<Int>] = []
    for (character, isMatch) in window {
      let isBlank =
        character.isWhitespace || character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
      if isBlank, !isMatch, text.isEmpty || text.hasSuffix(" ") { continue }
      let start = text.utf8.count
      text.append(isBlank ? " " : character)
      guard isMatch else { continue }
      if let last = ranges.last, last.upperBound == start {
        ranges[ranges.count - 1] = last.lowerBound..<text.utf8.count
      } else {
        ranges.append(start..<text.utf8.count)
      }
    }
    if goesOn { text += "…" }
    self.text = text
    matches = ranges.map {
      text.utf8.index(
        text.startIndex, offsetBy: $0.lowerBound)..<text.utf8.index(
          text.startIndex, offsetBy: $0.upperBound)
    }
  }
}
