/// What a generator has written so far: the truth that a reader's counts can be held against.
public struct GeneratorReport: Sendable, Equatable {
  /// Distinct messages.
  public internal(set) var messages = 0
  /// Distinct messages that the server stores (seq above 0): what a complete history holds.
  public internal(set) var stored = 0
  /// Distinct messages of each kind.
  public internal(set) var kinds: [GeneratedKind: Int] = [:]
  /// Recalls of each form; no message is recalled twice.
  public internal(set) var recalls: [RecallForm: Int] = [:]
  /// Messages delivered again, byte for byte.
  public internal(set) var exactCopies = 0
  /// Messages delivered again as sent and read.
  public internal(set) var laterCopies = 0
  /// Lines that are no message, by flaw.
  public internal(set) var malformed: [Flaw: Int] = [:]
  /// Lines that come late, each counted once.
  public internal(set) var delayed = 0
  /// All lines.
  public internal(set) var lines = 0
  /// Conversations with at least one stored message.
  public internal(set) var conversations = 0

  /// The report as one JSON object with a line break.
  public func json() -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("lines", lines)
    writer.field("messages", messages)
    writer.field("stored", stored)
    writer.field("conversations", conversations)
    writer.field("exactCopies", exactCopies)
    writer.field("laterCopies", laterCopies)
    writer.field("delayed", delayed)
    write("kinds", kinds, to: &writer)
    write("recalls", recalls, to: &writer)
    write("malformed", malformed, to: &writer)
    writer.endObject()
    writer.endLine()
    return writer.bytes
  }

  private func write<Key: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ counts: [Key: Int], to writer: inout JSONWriter
  ) {
    writer.key(name)
    writer.beginObject()
    for key in Key.allCases { writer.field(key.rawValue, counts[key] ?? 0) }
    writer.endObject()
  }
}
