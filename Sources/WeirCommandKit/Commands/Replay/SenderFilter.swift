import WeirChat

/// The merge hook behind `--drop-sender`.
enum SenderFilter {
  /// The hook's name, under which the summary counts what it drops.
  static let name = "drop-sender"

  /// A pipeline that drops messages of these senders; an empty one when there are none. Recalls pass: one of a message
  /// that was dropped finds nothing to take back, and is kept as the store keeps any early recall.
  static func hooks(dropping senders: [String]) throws(HookError) -> MergeHooks {
    var hooks = MergeHooks()
    guard !senders.isEmpty else { return hooks }
    let dropped = Set(senders)
    try hooks.append(name) { fact in
      guard case .message(let message) = fact, dropped.contains(message.envelope.senderID) else { return .goOn(fact) }
      return .drop(reason: "sender \(message.envelope.senderID)")
    }
    return hooks
  }
}
