/// What a generated message is. The number in each comment is OpenIM's content type (receiving spec §1.5).
public enum GeneratedKind: String, CaseIterable, Sendable {
  /// 101
  case text
  /// 106, groups only
  case atText
  /// 114
  case quote
  /// 110
  case custom
  /// 102
  case picture
  /// 105
  case file
  /// 113, single chats only; seq 0, as the server does not store it
  case typing
  /// A number that no version of OpenIM knows.
  case unknown

  /// How many of 1,000 messages are of this kind.
  var share: Int {
    switch self {
    case .text: 740
    case .atText: 50
    case .quote: 50
    case .custom: 40
    case .picture: 60
    case .file: 20
    case .typing: 30
    case .unknown: 10
    }
  }

  private static let lots = allCases.flatMap { Array(repeating: $0, count: $0.share) }

  /// A kind by share.
  static func pick(using random: inout SeededRandom) -> GeneratedKind { random.pick(lots) }
}
