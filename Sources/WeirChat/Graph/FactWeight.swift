import Weir

extension Fact: Weighted {
  /// About what the fact keeps alive, in bytes: the content counts twice, as delivered and expanded.
  public var weight: Int {
    switch self {
    case .message(let message): MemoryLayout<Fact>.stride + message.keptBytes
    case .recall(let recall): MemoryLayout<Fact>.stride + (recall.original?.keptBytes ?? 0)
    case .edit(let edit): MemoryLayout<Fact>.stride + edit.body.byteCount * 2
    case .delete(let delete): MemoryLayout<Fact>.stride + delete.targets.count * MemoryLayout<MessageReference>.stride
    case .read(let read): MemoryLayout<Fact>.stride + read.messages.count * MemoryLayout<MessageReference>.stride
    case .seqs(let seqs): MemoryLayout<Fact>.stride + (seqs.closed.count + seqs.answered.count) * 16
    case .conversation(let fact): MemoryLayout<Fact>.stride + fact.properties.reduce(0) { $0 + $1.bytes.count }
    case .social(let social): MemoryLayout<Fact>.stride + social.payload.count
    case .mediaTask(let task): MemoryLayout<Fact>.stride + task.payload.count
    case .local(let local): MemoryLayout<Fact>.stride + local.localEx.utf8.count
    case .clear, .send: MemoryLayout<Fact>.stride
    }
  }
}

extension ChatMessage {
  fileprivate var keptBytes: Int {
    MemoryLayout<ChatMessage>.stride + body.byteCount * 2 + envelope.ex.utf8.count + envelope.attachedInfo.utf8.count
  }
}

extension MessageBody {
  fileprivate var byteCount: Int {
    switch self {
    case .element(let bytes), .line(let bytes): bytes.count
    case .absent: 0
    }
  }
}
