/// What to generate. The same settings give the same bytes in every run of one version of weir.
public struct GeneratorSettings: Sendable, Equatable {
  /// Distinct messages; copies, recalls and malformed lines come on top.
  public var messages: Int
  /// Conversations they are spread over, a few of them getting most (1 to 10,000,000; about 50 bytes of memory each).
  public var conversations: Int
  /// Probability, for each message, that an earlier stored one is delivered again.
  public var duplicates: Double
  /// Probability, for each line, that it comes up to ``window`` lines late.
  public var reorder: Double
  /// Probability, for each message, that a line that is no message is added.
  public var malformed: Double
  /// Probability, for each message, that an earlier stored one is recalled.
  public var recalls: Double
  /// Most lines by which a line is late.
  public var window: Int
  /// Start of all random numbers.
  public var seed: UInt64
  /// Own user id.
  public var account: String
  /// Time of the first message, in milliseconds since 1970.
  public var startTime: Int64

  /// Own user id of generated messages, and of a replay, unless another one is given.
  public static let defaultAccount = "9000000001"

  /// Settings with the defaults of `weir generate`. Values out of range are moved to the nearest in range.
  public init(
    messages: Int, conversations: Int = 100, duplicates: Double = 0, reorder: Double = 0, malformed: Double = 0,
    recalls: Double = 0.01, window: Int = 32, seed: UInt64 = 1, account: String = defaultAccount,
    startTime: Int64 = 1_750_000_000_000
  ) {
    self.messages = max(0, messages)
    self.conversations = min(max(1, conversations), 10_000_000)
    self.duplicates = duplicates
    self.reorder = reorder
    self.malformed = malformed
    self.recalls = recalls
    self.window = min(max(1, window), 65_536)
    self.seed = seed
    self.account = account
    self.startTime = min(max(0, startTime), 4_102_444_800_000)
  }
}
