import Weir
import WeirStore

/// What the user asked a replay for.
struct ReplayOptions: Sendable {
  var inputs: [LineInput]
  var store: String
  var account: String
  var durability = Durability.normal
  var checksStore = false
  /// Whether the store keeps an index of texts from now on.
  var indexesTexts = false
  var follow = false
  var rate: Int?
  var longestLine = 1 << 20
  var rejects: String?
  var isStrict = false
  var droppedSenders: [String] = []
  /// How long a transaction is tried again, in seconds.
  var patience = 30
  var hints = HintPrinter.Form.none
  /// Conversations to show; nil for all.
  var top: Int? = 10
  var isJSON = false
  var showsHash = false
  var showsProgress = false

  /// Tries again after growing waits, about ``patience`` in all, before the failure is final.
  var supervision: Supervision {
    guard patience > 0 else { return .fail }
    var backoff = Backoff(initial: .milliseconds(100), factor: 2, maximum: .seconds(2), attempts: nil)
    var waits = Duration.zero
    var attempts = 1
    while waits < .seconds(patience) {
      waits += backoff.wait(before: attempts)
      attempts += 1
    }
    backoff.attempts = attempts
    return .retry(backoff, then: .fail)
  }
}
