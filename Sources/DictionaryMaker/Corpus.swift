/// Sentences with places for words, and lists of the words.
struct Corpus {
  private var lists: [String: [String]] = [:]
  private var names: [String] = []
  private var patterns: [String] = []

  /// Reads the form that is described at the head of the corpus files.
  init(_ text: String) {
    for line in text.split(separator: "\n").map(String.init) where !line.hasPrefix("#") {
      let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      if parts.count == 3, parts[1] == "=" {
        let name = String(parts[0])
        names.append(name)
        lists[name] = parts[2].split(separator: "|").map { Self.trimmed($0) }
      } else {
        patterns.append(line)
      }
    }
  }

  /// Two corpora with half of the sentences and half of the words each.
  func halves(_ random: inout SplitMix) -> (Corpus, Corpus) {
    var (first, second) = (self, self)
    for name in names {
      let (one, other) = Self.halves(lists[name] ?? [], &random)
      first.lists[name] = one
      second.lists[name] = other
    }
    (first.patterns, second.patterns) = Self.halves(patterns, &random)
    return (first, second)
  }

  /// Sentences drawn with their words.
  func sentences(_ count: Int, _ random: inout SplitMix) -> [[UInt8]] {
    (0..<count).map { _ in
      var sentence = ""
      let parts = (random.pick(patterns) ?? "").split(separator: "{", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        guard index > 0, let end = part.firstIndex(of: "}") else {
          sentence += part
          continue
        }
        sentence += random.pick(lists[String(part[..<end])] ?? []) ?? ""
        sentence += part[part.index(after: end)...]
      }
      if random.below(10) < 7 { sentence = sentence.prefix(1).uppercased() + sentence.dropFirst() }
      return Array(sentence.utf8)
    }
  }

  private static func halves(_ all: [String], _ random: inout SplitMix) -> ([String], [String]) {
    var (first, second): ([String], [String]) = ([], [])
    for one in all { if random.below(2) == 0 { first.append(one) } else { second.append(one) } }
    return (first.isEmpty ? all : first, second.isEmpty ? all : second)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var text = text[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// Random numbers that are the same in every process and on every machine.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound` − 1.
  mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

  mutating func pick(_ all: [String]) -> String? { all.isEmpty ? nil : all[below(all.count)] }
}
