/// When a private message ceases to be shown (receiving spec D14). All numbers are milliseconds but the duration, which
/// is seconds: mixing the two is the fault that kept such messages for ever.
enum BurnRule {
  /// The moment from which the message is hidden; nil as long as it has not been read or carries no duration.
  ///
  /// - Parameters:
  ///   - sendTime: the server's time, which stands in when the reading has no known time.
  ///   - isRead: whether the party who did not send it has read it.
  ///   - readTime: when, 0 for unknown.
  ///   - burnDuration: seconds the message stays; 0 for no limit.
  static func deadline(sendTime: Int64, isRead: Bool, readTime: Int64, burnDuration: Int64) -> Int64? {
    guard isRead, burnDuration > 0 else { return nil }
    let start = readTime > 0 ? readTime : sendTime
    let (length, isLong) = burnDuration.multipliedReportingOverflow(by: 1_000)
    let (deadline, isLate) = start.addingReportingOverflow(length)
    return isLong || isLate ? .max : deadline
  }
}
