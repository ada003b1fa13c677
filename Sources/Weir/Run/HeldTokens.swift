/// The settlement tokens of the elements that a stage holds, oldest first; nil for elements that nobody follows, so that
/// each token stays with its own element where followed and unfollowed ones are mixed.
struct HeldTokens: Sendable {
  private var items = Deque<Settlement?>()
  private var followed = 0

  /// Whether any element held is followed.
  var hasAny: Bool { followed > 0 }
  /// Number of elements, followed or not.
  var count: Int { items.count }

  /// Makes the column as long as what the stage holds: elements came and went while nobody followed any.
  mutating func pad(to number: Int) {
    // A stage's word for what it holds is the user's.
    let held = max(0, number)
    if items.count == held { return }
    if !hasAny { items = Deque(repeating: nil, count: held) }
    while items.count < held { items.prepend(nil) }
  }

  mutating func append(_ token: Settlement?) {
    items.append(token)
    if token != nil { followed += 1 }
  }

  /// Takes the tokens of the `number` oldest elements.
  mutating func take(_ number: Int) -> [Settlement] {
    var taken: [Settlement] = []
    for _ in 0..<max(0, min(number, items.count)) {
      if let token = items.removeFirst() { taken.append(token) }
    }
    followed -= taken.count
    return taken
  }

  mutating func settleAll(_ outcome: Outcome) {
    for token in take(.max) { token.settle(outcome) }
  }
}
