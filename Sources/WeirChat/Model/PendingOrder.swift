/// Where own messages that the server has not placed yet stand in their conversation: at the end, in the order in which
/// they were written, but never behind an own message that was written after them (receiving spec §2.7, report 50).
enum PendingOrder {
  /// How far this device's clock may be ahead of the server's for the second rule to be seen, in milliseconds.
  static let clockSkew: Int64 = 3_600_000

  /// One time each, all different, in milliseconds.
  ///
  /// - Parameters:
  ///   - pending: for each message, in order of writing, its own time and the server's earliest time of an own message
  ///     that was written after it (nil for none).
  ///   - newest: the greatest server time known in the conversation.
  static func times(_ pending: [(createTime: Int64, cap: Int64?)], newest: Int64) -> [Int64] {
    var times = [Int64](repeating: 0, count: pending.count)
    // A later message is capped only by messages that cap the earlier ones too: the capped ones stand in front.
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
