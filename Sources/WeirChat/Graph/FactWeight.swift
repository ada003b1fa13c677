import Weir

extension Fact: Weighted {
  /// About what the fact keeps alive, in bytes: the content counts twice, as delivered and expanded.
  public var weight: Int {
    switch self {
    case .message(let message): MemoryLayout<Fact>.stride + message.keptBytes
    case .recall(let recall): MemoryLayout<Fact>.stride + (recall.original?.keptBytes ?? 0)
    default: MemoryLayout<Fact>.stride  // BASE
    }
  }
}

extension ChatMessage {
  fileprivate var keptBytes: Int {
    let content =
      switch body {
      case .element(let bytes), .line(let bytes): bytes.count * 2
      case .absent: 0
      }
    return MemoryLayout<ChatMessage>.stride + content + envelope.ex.utf8.count + envelope.attachedInfo.utf8.count
  }
}
