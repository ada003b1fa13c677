/// Delays lines by a number of lines. Memory: at most as many lines as the window is wide.
struct ReorderBuffer: Sendable {
  /// What is due after each of the next lines, in a ring.
  private var slots: [[UInt8]]
  private var position = 0

  init(window: Int) {
    slots = Array(repeating: [], count: window + 1)
  }

  /// Appends the line to `output`, after `delay` more lines when that is not 0, and whatever else is due.
  mutating func push(_ line: [UInt8], delay: Int, into output: inout [UInt8]) {
    position = (position + 1) % slots.count
    if delay == 0 {
      output += line
    } else {
      slots[(position + min(delay, slots.count - 1)) % slots.count] += line
    }
    release(into: &output)
  }

  /// Appends all that is held back.
  mutating func drain(into output: inout [UInt8]) {
    for _ in slots.indices {
      position = (position + 1) % slots.count
      release(into: &output)
    }
  }

  private mutating func release(into output: inout [UInt8]) {
    guard !slots[position].isEmpty else { return }
    output += slots[position]
    slots[position] = []
  }
}
