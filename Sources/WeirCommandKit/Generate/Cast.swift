/// The people and conversations of a generated history, each a pure function of the seed and its number, so that
/// nothing has to be kept.
struct Cast: Sendable {
  /// A person by number; 0 is the account itself.
  struct Person: Sendable, Equatable {
    let number: Int
    static let account = Person(number: 0)
  }

  /// A conversation's fixed traits.
  struct Conversation: Sendable {
    let number: Int
    let isGroup: Bool
    /// The peer of a single chat.
    let peer: Person
    /// Members of a group besides the account.
    let memberCount: Int
  }

  private static let firstGroupID = 2_200_000_000
  private static let firstUserID = 5_000_000_000
  private let seed: UInt64
  private let people: Int
  /// Own user id.
  let account: String

  init(settings: GeneratorSettings) {
    seed = settings.seed
    people = settings.conversations + 200
    account = settings.account
  }

  /// Six conversations of ten are single chats.
  func conversation(_ number: Int) -> Conversation {
    var random = SeededRandom(seed: seed, stream: UInt64(number) | 1 << 62)
    return Conversation(
      number: number, isGroup: random.below(10) >= 6, peer: Person(number: number + 1),
      memberCount: 3 + random.below(180))
  }

  /// A member of a group, from 0 up to its member count; members of different groups overlap.
  func member(_ index: Int, of conversation: Conversation) -> Person {
    var random = SeededRandom(seed: seed, stream: UInt64(conversation.number) << 16 ^ UInt64(index) | 1 << 61)
    return Person(number: 1 + random.below(people))
  }

  /// A user id: mostly digits; some hold `_`, which conversation ids cannot be taken apart with.
  func userID(_ person: Person) -> String {
    if person == .account { return account }
    return person.number % 8 == 3 ? "user_\(person.number)" : String(Self.firstUserID + person.number)
  }

  func groupID(_ conversation: Conversation) -> String { String(Self.firstGroupID + conversation.number) }

  /// OpenIM's id of the conversation (receiving spec §1.4): ids sorted as byte strings.
  func conversationID(_ conversation: Conversation) -> String {
    if conversation.isGroup { return "sg_" + groupID(conversation) }
    let peer = userID(conversation.peer)
    let isFirst = account.utf8.lexicographicallyPrecedes(peer.utf8)
    return "si_" + (isFirst ? "\(account)_\(peer)" : "\(peer)_\(account)")
  }

  /// A display name, Chinese for about half of the people.
  func nickname(_ person: Person) -> String {
    var random = SeededRandom(seed: seed, stream: UInt64(person.number) | 1 << 60)
    return random.below(2) == 0
      ? random.pick(WordLists.chineseFamilyNames) + random.pick(WordLists.chineseGivenNames)
      : random.pick(WordLists.englishGivenNames) + " " + random.pick(WordLists.englishFamilyNames)
  }
}
