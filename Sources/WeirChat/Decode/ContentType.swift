/// Content numbers that decide where a message goes (receiving spec §1.5).
enum ContentType {
  static let typing: Int32 = 113
  static let quietCustom: Int32 = 119
  static let onlineOnly: Int32 = 120
  static let conversationsChanged: Int32 = 1_300
  static let privacyChanged: Int32 = 1_701
  static let cleared: Int32 = 1_703
  static let business: Int32 = 2_001
  static let recall: Int32 = 2_101
  static let deleted: Int32 = 2_102
  static let read: Int32 = 2_200

  /// Read receipts of older clients. Nobody sends them any more, and what they held is not what 2200 holds.
  static let stale: Set<Int32> = [2_150, 2_155]

  /// Numbers of notices, as opposed to messages of people.
  static let notices: ClosedRange<Int32> = 1_000...5_000

  /// Notices that change state: they are acted on, and never shown.
  static func isControl(_ number: Int32) -> Bool {
    switch number {
    case conversationsChanged, privacyChanged, cleared, business, deleted, read: true
    default: false
    }
  }

  /// What a notice that changes nothing by itself is about; nil for numbers that are only shown.
  static func subject(of number: Int32) -> NoticeEvent.Subject? {
    switch number {
    case 1_201...1_299: .friends
    case conversationsChanged: .conversations
    case 1_301...1_399: .user
    case 1_501...1_599: .group
    case business: .business
    default: nil
    }
  }
}

/// Status numbers that carry information on the way in (receiving spec §1.6). The first two do only for an own message
/// that the server has not answered for.
enum Status {
  static let sending: Int32 = 1
  static let failed: Int32 = 3
  static let deleted: Int32 = 4
  static let filtered: Int32 = 5
}
