/// What has arrived of a content that is not whole: kept so that a later try can go on with it.
struct TransferPartial: Sendable, Equatable {
  /// What has to be the same for a later try to go on.
  struct Key: Sendable, Hashable {
    let source: UInt8
    let content: UInt64
    let wireLength: Int
    let codec: UInt8
    let chunk: Int
  }

  let key: Key
  let buffer: ChunkBuffer
}

/// The parts that a station keeps: two, for a day (radio study, section 2).
struct TransferPartials: Sendable {
  static let most = 2
  static let life: Duration = .seconds(86_400)

  private var kept: [(partial: TransferPartial, until: Duration)] = []

  var count: Int { kept.count }

  /// Keeps what has arrived; the oldest gives way.
  mutating func keep(_ partial: TransferPartial, at now: Duration) {
    drop(partial.key)
    kept.removeAll { $0.until <= now }
    kept.append((partial, now + Self.life))
    if kept.count > Self.most { kept.removeFirst() }
  }

  /// What fits an offer, with a chunk that the offer allows.
  func partial(for initiation: TransferInitiation, from source: UInt8, at now: Duration) -> TransferPartial? {
    guard initiation.isResumable else { return nil }
    return kept.last { one in
      one.until > now && one.partial.key.chunk <= initiation.chunk
        && one.partial.key
          == TransferPartial.Key(
            source: source, content: initiation.content, wireLength: initiation.wireLength, codec: initiation.codec,
            chunk: one.partial.key.chunk)
    }?.partial
  }

  mutating func drop(_ key: TransferPartial.Key) { kept.removeAll { $0.partial.key == key } }
}
