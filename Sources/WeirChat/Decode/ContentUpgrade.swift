/// Reads content again that an earlier version kept without understanding it (receiving spec §1.7 rule 3, §5.10).
///
/// A store persists ``version``; opened by a program with a greater one, it hands every stored line to ``message(_:key:)``
/// and joins the copy it gets. Such a copy has the same key and seq and its content expanded, and the lattice prefers
/// expanded content to a line, so neither order, unread number nor identity change, and doing it twice does no harm.
/// Elements that were understood need no upgrade: they are kept as delivered and expanded when they are read.
public struct ContentUpgrade: Sendable {
  /// Grows with each version that understands more contents. 1 knew text, picture, mention, quote, custom, rich text
  /// and markdown; 2 knows all numbers of the receiving spec.
  public static let version: Int64 = 2

  private let account: String

  /// Upgrades rows of `account`.
  public init(account: String) { self.account = account }

  /// The copy of a message that its line gives now; nil when it is still not understood, or is no longer taken for a
  /// message: then see ``facts(_:)``.
  ///
  /// - Parameter key: the row's key, which stays, whatever the line would be filed under now.
  public func message(_ line: [UInt8], key: MessageKey) -> ChatMessage? {
    let copy = assembled(line, in: key.conversationID) { assembler, contentType in
      try? assembler.message(contentType)
    }
    guard let old = copy, case .element = old.body else { return nil }
    return ChatMessage(
      key: key, envelope: old.envelope, evidence: old.evidence, marks: old.marks, contentType: old.contentType,
      content: old.content, body: old.body)
  }

  /// Everything a kept line says now: for notices that an earlier version kept hidden and this one acts on. Facts about
  /// the row itself are among them.
  public func facts(_ line: [UInt8], conversationID: String) -> [Fact] {
    assembled(line, in: conversationID) { assembler, contentType in try? assembler.decoded(contentType) }?.facts ?? []
  }

  /// The content of a stored body; a placeholder when it is not understood.
  public func content(of body: MessageBody, contentType: Int32, senderID: String) -> MessageContent {
    let content: MessageContent? =
      switch body {
      case .element(let bytes):
        bytes.withUnsafeBufferPointer {
          ElementDecoder(account: account, senderID: senderID).expand(contentType, $0, 0..<$0.count)
        }
      case .line(let line): content(ofLine: line)
      case .absent: nil
      }
    return content ?? .placeholder(contentType: contentType)
  }

  /// The content of a line; nil when it is not understood.
  func content(ofLine line: [UInt8]) -> MessageContent? {
    assembled(line, in: nil) { assembler, contentType in
      ElementDecoder(account: account, senderID: assembler.fields.sendID)
        .content(contentType, assembler.fields, assembler.bytes)?.content
    }
  }

  /// A line of any shape: kept lines are whole payload objects, and the fields of all shapes are read alike.
  private func assembled<Value>(
    _ line: [UInt8], in conversationID: String?, _ read: (MessageAssembler, Int32) -> Value?
  ) -> Value? {
    line.withUnsafeBufferPointer { bytes in
      guard let fields = try? Payload.fields(bytes, acceptsText: true), let contentType = fields.contentType else {
        return nil
      }
      let assembler = MessageAssembler(
        account: account, fields: fields, bytes: bytes, range: 0..<bytes.count,
        circumstances: .init(conversationID: conversationID, tellsNoSeq: true))
      return read(assembler, contentType)
    }
  }
}

extension OpenIMCallbackDecoder {
  /// The content of a line that was kept because an earlier version did not understand it; nil when it is still not
  /// understood.
  func content(ofLine line: [UInt8]) -> MessageContent? { ContentUpgrade(account: account).content(ofLine: line) }
}
