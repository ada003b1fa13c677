import Testing
import Weir
import WeirStore

@testable import WeirChat

/// A store behind the public graph: facts go in through a ``ProjectionStage``, what comes out are the changes.
struct Inbox {
  let store: SQLiteMessageStore
  let directory: TemporaryDirectory

  init(options: SQLiteMessageStore.Options = .init()) async throws {
    directory = try TemporaryDirectory()
    store = try await SQLiteMessageStore.open(
      path: directory.file("inbox.db"), account: Make.account, options: options)
  }

  /// Each list of facts is one delivery.
  @discardableResult
  func deliver(_ deliveries: [Fact]...) async throws -> [ConversationChange] {
    var changes: [ConversationChange] = []
    for facts in deliveries {
      let blueprint = try Blueprint("inbox") { graph in
        graph.source("facts", facts).boundary("wait", limit: .elements(1_000))
          .via("projection", ProjectionStage(store)).collect("results")
      }
      let results = try await blueprint.run { live in
        await live.waitUntilEnded()
        return try live[live.handles].value
      }
      changes += results.flatMap(\.changes)
    }
    return changes
  }

  func line(_ conversation: String = Make.group) async throws -> ConversationSummary? {
    try await store.conversations().value.first { $0.conversationID == conversation }
  }

  func unread(_ conversation: String = Make.group) async throws -> Int? { try await line(conversation)?.unread }

  func shown(_ conversation: String = Make.group) async throws -> [StoredMessage] {
    try await store.messages(in: conversation).value
  }

  /// The texts to be shown, oldest first; a recalled message as a dash.
  func texts(_ conversation: String = Make.group) async throws -> [String] {
    try await shown(conversation).reversed().map { message in
      if case .content(.text(let text)) = message.display { text } else { "-" }
    }
  }

  func ids(_ conversation: String = Make.group) async throws -> [String] {
    try await shown(conversation).reversed().map(\.key.clientMsgID)
  }

  /// Nothing that is kept ready disagrees with the rows. Closes the store.
  func finish(sourceLocation: Testing.SourceLocation = #_sourceLocation) async throws {
    #expect(try await store.audit().value == [], sourceLocation: sourceLocation)
    try await store.close()
  }
}
