import WeirStore

/// The properties of conversations. Each joins alone: the setting with the greatest (revision, bytes) stands.
final class PropertyTable {
  private let select: Statement
  private let selectAll: Statement
  private let upsert: Statement?

  init(_ connection: Connection, writes: Bool) throws(StoreError) {
    let columns = "property, revision, value, crc"
    select = try connection.prepare("SELECT \(columns) FROM properties WHERE conversation = ?1 AND property = ?2")
    selectAll = try connection.prepare("SELECT \(columns) FROM properties WHERE conversation = ?1")
    upsert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO properties(conversation, \(columns)) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT DO UPDATE SET revision = ?3, value = ?4, crc = ?5
        """) : nil
  }

  /// Joins a setting; false when it tells nothing new.
  func join(
    _ property: ConversationFact.Property, revision: Int64, _ conversation: Int64
  ) throws(StoreError) -> Bool {
    let value = property.bytes
    select.bind(conversation, at: 1)
    select.bind(property.number, at: 2)
    if try select.step() {
      defer { select.reset() }
      let known = try Self.read(select, conversation)
      if revision < known.revision { return false }
      if revision == known.revision, !known.value.lexicographicallyPrecedes(value) { return false }
    }
    guard let upsert else { throw StoreError(.readOnly, "a reader cannot note a property") }
    upsert.bind(conversation, at: 1)
    upsert.bind(property.number, at: 2)
    upsert.bind(revision, at: 3)
    upsert.bind(value, at: 4)
    upsert.bind(Self.checksum(conversation, property.number, revision, value), at: 5)
    try upsert.run()
    return true
  }

  /// The properties as they stand.
  func properties(_ conversation: Int64) throws(StoreError) -> ConversationProperties {
    var properties = ConversationProperties()
    for setting in try settings(conversation) {
      if let property = ConversationFact.Property(number: setting.number, bytes: setting.value) {
        properties.set(property)
      }
    }
    return properties
  }

  /// All settings of a conversation, by number.
  func settings(_ conversation: Int64) throws(StoreError) -> [(number: Int64, revision: Int64, value: [UInt8])] {
    var settings: [(number: Int64, revision: Int64, value: [UInt8])] = []
    selectAll.bind(conversation, at: 1)
    defer { selectAll.reset() }
    while try selectAll.step() { settings.append(try Self.read(selectAll, conversation)) }
    return settings
  }

  private static func read(
    _ statement: Statement, _ conversation: Int64
  ) throws(StoreError) -> (number: Int64, revision: Int64, value: [UInt8]) {
    let setting = (number: statement.int64(0), revision: statement.int64(1), value: statement.bytes(2))
    guard statement.int64(3) == checksum(conversation, setting.number, setting.revision, setting.value) else {
      throw StoreError(.corrupt, "a property of a conversation does not match its checksum")
    }
    return setting
  }

  private static func checksum(_ conversation: Int64, _ number: Int64, _ revision: Int64, _ value: [UInt8]) -> Int64 {
    var checksum = Checksum()
    for part in [conversation, number, revision] { checksum.add(part) }
    checksum.add(value)
    return Int64(checksum.value)
  }
}
