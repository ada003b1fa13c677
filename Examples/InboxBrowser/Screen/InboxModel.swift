/// Everything the screen depends on, and how input changes it: a pure value.
public struct InboxModel: Sendable, Equatable {
  /// Something that happened.
  public enum Input: Sendable {
    case page(InboxPage)
    case key(Key)
    case resize(columns: Int, rows: Int)
    /// No more input will come, or a signal asks to end.
    case stop
    /// The store cannot be read, in words.
    case trouble(String)
  }

  /// What the program has to do about an input.
  public enum Effect: Sendable, Equatable {
    /// Ask for the page of another conversation.
    case select(String)
    case quit
  }

  /// The part that the arrow keys move.
  public enum Focus: Sendable { case list, timeline }

  public private(set) var columns: Int
  public private(set) var rows: Int
  public private(set) var page: InboxPage?
  /// The conversation that is selected; its messages may still be on their way.
  public private(set) var selected: String?
  public private(set) var focus = Focus.list
  /// Lines between the end of the timeline and the last one that is shown.
  public private(set) var scroll = 0
  public private(set) var trouble: String?

  public init(columns: Int = 80, rows: Int = 24) {
    (self.columns, self.rows) = (max(columns, 1), max(rows, 1))
  }

  public mutating func take(_ input: Input) -> Effect? {
    switch input {
    case .page(let page):
      self.page = page
      trouble = nil
      if selected == nil { selected = page.selected }
      return nil
    case .resize(let columns, let rows):
      (self.columns, self.rows) = (max(columns, 1), max(rows, 1))
      return nil
    case .trouble(let words):
      trouble = words
      return nil
    case .stop: return .quit
    case .key(let key): return take(key)
    }
  }

  private mutating func take(_ key: Key) -> Effect? {
    switch key {
    case .interrupt, .letter("q"): return .quit
    case .tab: focus = focus == .list ? .timeline : .list
    case .enter, .right, .letter("l"): focus = .timeline
    case .escape, .left, .letter("h"): focus = .list
    case .down, .letter("j"): return move(1)
    case .up, .letter("k"): return move(-1)
    case .pageDown, .letter(" "): return move(max(rows - 4, 1))
    case .pageUp, .letter("b"): return move(-max(rows - 4, 1))
    case .home, .letter("g"): return move(-1_000_000)
    case .end, .letter("G"): return move(1_000_000)
    case .letter: break
    }
    return nil
  }

  private mutating func move(_ steps: Int) -> Effect? {
    guard let page else { return nil }
    guard focus == .list else {
      // No message takes more lines than a screen has.
      scroll = min(max(scroll - steps, 0), page.messages.count * InboxScreen.longestMessage)
      return nil
    }
    // The selection sticks to its conversation while the list moves under it.
    let now = page.conversations.firstIndex { $0.id == selected } ?? 0
    let next = min(max(now + steps, 0), page.conversations.count - 1)
    guard page.conversations.indices.contains(next), page.conversations[next].id != selected else { return nil }
    selected = page.conversations[next].id
    scroll = 0
    return selected.map { .select($0) }
  }
}
