/// The settlement tokens of the elements that a stage holds, oldest first; nil for elements that nobody follows, so that
/// each token stays with its own element where followed and unfollowed ones are mixed.
///
/// It takes memory once a stage holds an element: most never do.
struct HeldTokens: Sendable {
  private struct Column {
    var items = Deque<Settlement?>()
    var followed = 0
  }

  private final class Box: @unchecked Sendable {
    // Safety: each stage's state owns one, and is used only by the task that drives the stage.
    @exclusivity(unchecked) var column = Column()
  }

  private var box: Box?

  /// Whether any element held is followed.
  var hasAny: Bool { box.map { $0.column.followed > 0 } ?? false }
  /// Number of elements, followed or not.
  var count: Int { box?.column.items.count ?? 0 }

  /// Makes the column as long as what the stage holds: elements came and went while nobody followed any.
  mutating func pad(to number: Int) {
    // A stage's word for what it holds is the user's.
    let held = max(0, number)
    if count == held { return }
    if !hasAny {
      box = nil
      if held > 0 { ownBox().column.items = Deque(repeating: nil, count: held) }
      return
    }
    while let box, box.column.items.count < held { box.column.items.prepend(nil) }
  }

  mutating func append(_ token: Settlement?) {
    let box = ownBox()
    box.column.items.append(token)
    if token != nil { box.column.followed += 1 }
  }

  /// Takes the tokens of the `number` oldest elements.
  mutating func take(_ number: Int) -> [Settlement] {
    guard let box else { return [] }
    var taken: [Settlement] = []
    for _ in 0..<max(0, min(number, box.column.items.count)) {
      if let token = box.column.items.removeFirst() { taken.append(token) }
    }
    box.column.followed -= taken.count
    return taken
  }

  mutating func settleAll(_ outcome: Outcome) {
    for token in take(.max) { token.settle(outcome) }
  }

  private mutating func ownBox() -> Box {
    if let box { return box }
    let box = Box()
    self.box = box
    return box
  }
}
