/// What was asked of the server about one conversation (receiving spec §2.3).
public struct PullRequest: Sendable, Equatable {
  /// Of which conversation.
  public var conversationID: String
  /// The seqs that were asked for.
  public var seqs: [ClosedRange<Int64>]
  /// The server gives only so many of the newest (pull by range, 1002); nil when it gives all (listed seqs, 1005).
  public var limit: Int?

  /// A request of its parts.
  public init(conversationID: String, seqs: [ClosedRange<Int64>], limit: Int? = nil) {
    self.conversationID = conversationID
    self.seqs = seqs
    self.limit = limit
  }
}

/// Reads answers to pulls, and tells which seqs were really answered: what a request named is not yet that. A limited
/// range of a chat holds its newest messages only, and what the server gave up to its limit says nothing of the rest
/// (receiving spec §2.3); a conversation that the answer does not hold was not answered at all.
public struct PullReader: Sendable {
  private let decoder: OpenIMWireDecoder

  /// Reads with a decoder.
  public init(_ decoder: OpenIMWireDecoder) { self.decoder = decoder }

  /// Decodes the answer to some requests.
  ///
  /// - Throws: `DecodeError` for an answer that cannot be read at all.
  public func decode(_ payload: [UInt8], answering requests: [PullRequest]) throws(DecodeError) -> Decoded {
    let conversations = try decoder.conversations(payload)
    var parts = conversations.flatMap(\.parts)
    for request in requests {
      let here = conversations.filter { $0.id.utf8Equals(request.conversationID) }
      let ranges = here.isEmpty ? [] : answered(request, here)
      guard !ranges.isEmpty else { continue }
      let fact = SeqFact(account: decoder.account, conversationID: request.conversationID, answered: ranges)
      parts.append(.facts([.seqs(fact)]))
    }
    return Decoded.of(parts) ?? .ignored(.emptyList)
  }

  private func answered(_ request: PullRequest, _ conversations: [WireConversation]) -> [ClosedRange<Int64>] {
    // A message whose seq could not be read may be any of those asked for.
    for case .refused in conversations.flatMap(\.parts) { return [] }
    let isTwin = request.conversationID.utf8.starts(with: "n_".utf8)
    let seqs = conversations.flatMap(\.seqs)
    guard let limit = request.limit, !isTwin, seqs.count >= limit else { return request.seqs }
    // The newest ones came: from the oldest of them upward nothing is left out.
    guard let oldest = seqs.min() else { return [] }
    return request.seqs.compactMap { range in
      range.upperBound < oldest ? nil : max(range.lowerBound, oldest)...range.upperBound
    }
  }
}
