/// The secret of two stations: 16 bytes. It never appears in a description.
///
/// It authenticates; it hides nothing. Whoever listens reads the content of every frame.
public struct ControlKey: Sendable, CustomStringConvertible {
  let hash: SipHash24

  /// The key of 16 bytes.
  /// - Throws: ``TransferError`` `invalidControlKey` for any other count.
  public init(_ bytes: some Collection<UInt8>) throws(TransferError) {
    guard bytes.count == 16 else {
      throw TransferError(.invalidControlKey, "a control key has 16 bytes, not \(bytes.count)")
    }
    var words: (low: UInt64, high: UInt64) = (0, 0)
    for (place, byte) in bytes.enumerated() {
      if place < 8 { words.low |= UInt64(byte) << (8 * place) } else { words.high |= UInt64(byte) << (8 * (place - 8)) }
    }
    hash = SipHash24(low: words.low, high: words.high)
  }

  public var description: String { "ControlKey" }

  /// What names a content to whoever has this key: equal for equal contents, and says nothing to others.
  public func contentIdentity(of content: [UInt8]) -> UInt64 {
    hash.derived(label: "weir-transfer-content", [])(content)
  }
}
