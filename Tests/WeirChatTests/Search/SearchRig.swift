import Testing
import WeirStore

@testable import WeirChat

/// A store whose index is brought on by hand, so that a test can look at it at any watermark.
struct SearchRig {
  let directory: TemporaryDirectory
  let path: String
  let store: SQLiteMessageStore

  init(_ directory: TemporaryDirectory? = nil, search: SearchChoice = .on, historyLimit: Int64 = 100_000) async throws {
    self.directory = try directory ?? TemporaryDirectory()
    path = self.directory.file("search.db")
    store = try await Self.open(path, search: search, historyLimit: historyLimit)
  }

  static func open(
    _ path: String, search: SearchChoice = .asStored, historyLimit: Int64 = 100_000
  ) async throws -> SQLiteMessageStore {
    var options = SQLiteMessageStore.Options(historyLimit: historyLimit, search: search)
    options.indexesInPauses = false
    return try await SQLiteMessageStore.open(path: path, account: Make.account, options: options)
  }

  /// Looks at so many rows in one transaction; whether more is left.
  @discardableResult
  func index(_ rows: Int) async throws -> Bool {
    try await store.indexStep(.init(rows: rows, bytes: .max, time: .seconds(3_600)))
  }

  func ids(_ query: SearchQuery) async throws -> [String] {
    try await store.search(query).value.hits.map(\.clientMsgID)
  }

  func ids(_ text: String) async throws -> [String] { try await ids(SearchQuery(text)) }

  /// How many messages the index has an entry of.
  func entries() async throws -> Int64? {
    try await store.readers.read { (reader) throws(StoreError) in
      try reader.connection.prepare("SELECT count(*) FROM search_docs").firstInt64()
    }.value
  }

  /// Closes the store, after everything kept ready in it was found to agree.
  func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    #expect(try await store.audit().value == [], sourceLocation: sourceLocation)
    try await store.close()
  }
}

extension Make {
  static func edit(_ id: String, _ text: String, version: Int64 = 1, in conversation: String = group) -> Fact {
    edit(.clientMsgID(id), version: version, text: text, in: conversation)
  }

  /// A message with content of any kind.
  static func content(_ id: String, seq: Int64, _ content: MessageContent, in conversation: String = group) -> Fact {
    var envelope = Envelope()
    envelope.seq = seq
    envelope.sendTime = time + seq * 1_000
    envelope.serverMsgID = "server-\(id)"
    envelope.senderID = peer
    return .message(
      ChatMessage(
        key: MessageKey(account: account, conversationID: conversation, clientMsgID: id), envelope: envelope,
        content: content))
  }
}
