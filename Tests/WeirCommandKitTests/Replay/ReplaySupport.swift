import Foundation
import Testing
import WeirChat
import WeirStore

@testable import WeirCommandKit

/// The content of a store, as one hash, after its own counts were checked against its rows.
func contentHash(_ path: String, account: String = GeneratorSettings.defaultAccount) async throws -> Hash128 {
  let store = try await SQLiteMessageStore.open(path: path, account: account)
  #expect(try await store.audit().value == [])
  let hash = try await store.contentHash().value
  try await store.close()
  return hash
}

/// Writes a generated delivery, and tells what was generated.
@discardableResult
func generate(_ settings: GeneratorSettings, to name: String, in folder: TemporaryFolder) throws -> GeneratorReport {
  var generator = MessageGenerator(settings)
  var bytes: [UInt8] = []
  while generator.generate(into: &bytes, upTo: .max) {}
  try folder.write(bytes, to: name)
  return generator.report
}

/// A rough delivery.
func roughSettings(messages: Int, conversations: Int = 40, seed: UInt64) -> GeneratorSettings {
  GeneratorSettings(
    messages: messages, conversations: conversations, duplicates: 0.05, reorder: 0.1, malformed: 0.01, recalls: 0.02,
    seed: seed)
}

extension GeneratorReport {
  /// Lines that any reader must refuse. A message without an id is ignored by rule instead.
  var refused: Int { malformed.reduce(0) { $0 + ($1.key == .missingID ? 0 : $1.value) } }
}
