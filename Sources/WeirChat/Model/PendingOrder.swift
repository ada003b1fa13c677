/// Where own messages that the server has not placed yet stand in their conversation: at the end, in the order in which
/// they were written, but in front of what this device wrote after them and the server has placed already (receiving spec
/// §2.7, report 50). Only this device's messages are compared so, since clocks of devices differ.
enum PendingOrder {
  /// One time each, all different, in milliseconds.
  ///
  /// - Parameters:
  ///   - pending: for each message, in order of writing, its own time and the server's time of the message that this device
  ///     wrote next and the server has placed (nil for none).
  ///   - newest: the greatest server time known in the conversation.
  static func times(_ pending: [(createTime: Int64, cap: Int64?)], newest: Int64) -> [Int64] {
    var times = [Int64](repeating: 0, count: pending.count)
    // Whatever is written after a message is written after the earlier ones too: the capped ones stand in front.
    let free = pending.firstIndex { $0.cap == nil } ?? pending.count
    var next = Int64.max
    for index in (0..<free).reversed() {
      next = min(pending[index].cap ?? .max, next) &- 1
      times[index] = next
    }
    var last = newest
    for index in free..<pending.count {
      last = max(pending[index].createTime, last &+ 1)
      times[index] = last
    }
    return times
  }
}
