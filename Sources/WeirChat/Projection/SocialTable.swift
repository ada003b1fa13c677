import WeirStore

/// Friends, requests, groups, members and blocks. Of what is told of one entry the greatest (revision, removed, bytes)
/// stands; a removed entry stays as a row, so that an older word cannot bring it back.
final class SocialTable {
  private let select: Statement
  private let page: Statement
  private let upsert: Statement?

  init(_ connection: Connection, writes: Bool) throws(StoreError) {
    let columns = "entity, revision, removed, payload, crc"
    select = try connection.prepare(
      "SELECT \(columns) FROM social WHERE scope = ?1 AND scope_id = ?2 AND entity = ?3")
    page = try connection.prepare(
      """
      SELECT \(columns) FROM social WHERE scope = ?1 AND scope_id = ?2 AND entity > ?3 AND removed = 0
      ORDER BY entity LIMIT ?4
      """)
    upsert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO social(scope, scope_id, \(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT DO UPDATE SET revision = ?4, removed = ?5, payload = ?6, crc = ?7
        """) : nil
  }

  /// Joins what is told of an entry. `isNews` is false when it tells nothing new, `isChange` when nobody can see it.
  func join(_ fact: SocialFact) throws(StoreError) -> (isNews: Bool, isChange: Bool) {
    select.bind(fact.scope.rawValue, at: 1)
    select.bind(fact.scopeID, at: 2)
    select.bind(fact.entityID, at: 3)
    var isChange = !fact.isRemoved
    if try select.step() {
      defer { select.reset() }
      let known = try Self.read(select, fact.scope, fact.scopeID)
      guard Self.precedes(known, fact) else { return (false, false) }
      isChange = known.isRemoved != fact.isRemoved || !fact.isRemoved && known.payload != fact.payload
    }
    guard let upsert else { throw StoreError(.readOnly, "a reader cannot note an entry") }
    upsert.bind(fact.scope.rawValue, at: 1)
    upsert.bind(fact.scopeID, at: 2)
    upsert.bind(fact.entityID, at: 3)
    upsert.bind(fact.revision, at: 4)
    upsert.bind(fact.isRemoved ? 1 : 0, at: 5)
    upsert.bind(fact.payload, at: 6)
    upsert.bind(
      Self.checksum(fact.scope, fact.scopeID, fact.entityID, fact.revision, fact.isRemoved, fact.payload), at: 7)
    try upsert.run()
    return (true, isChange)
  }

  /// Entries of a list in the order of their ids, behind `entity`.
  func page(
    _ scope: SocialFact.Scope, _ scopeID: String, after entity: String, limit: Int
  ) throws(StoreError) -> [SocialEntry] {
    page.bind(scope.rawValue, at: 1)
    page.bind(scopeID, at: 2)
    page.bind(entity, at: 3)
    page.bind(Int64(max(limit, 0)), at: 4)
    defer { page.reset() }
    var entries: [SocialEntry] = []
    while try page.step() {
      let entry = try Self.read(page, scope, scopeID)
      entries.append(SocialEntry(entityID: entry.entityID, revision: entry.revision, payload: entry.payload))
    }
    return entries
  }

  /// A row, removed or not.
  struct Entry {
    var entityID: String
    var revision: Int64
    var isRemoved: Bool
    var payload: [UInt8]
  }

  /// Reads entity, revision, removed, payload and checksum from column 0 on.
  static func read(
    _ statement: Statement, _ scope: SocialFact.Scope, _ scopeID: String
  ) throws(StoreError) -> Entry {
    let entry = Entry(
      entityID: statement.string(0), revision: statement.int64(1), isRemoved: statement.int64(2) != 0,
      payload: statement.bytes(3))
    let sum = checksum(scope, scopeID, entry.entityID, entry.revision, entry.isRemoved, entry.payload)
    guard statement.int64(4) == sum else {
      throw StoreError(.corrupt, "the entry \(entry.entityID) does not match its checksum")
    }
    return entry
  }

  private static func precedes(_ known: Entry, _ fact: SocialFact) -> Bool {
    if known.revision != fact.revision { return known.revision < fact.revision }
    if known.isRemoved != fact.isRemoved { return fact.isRemoved }
    return known.payload.lexicographicallyPrecedes(fact.payload)
  }

  private static func checksum(
    _ scope: SocialFact.Scope, _ scopeID: String, _ entity: String, _ revision: Int64, _ isRemoved: Bool,
    _ payload: [UInt8]
  ) -> Int64 {
    var checksum = Checksum()
    checksum.add(scope.rawValue)
    checksum.add(scopeID)
    checksum.add(entity)
    checksum.add(revision)
    checksum.add(isRemoved ? 1 : 0)
    checksum.add(payload)
    return Int64(checksum.value)
  }
}

/// An entry of one of the lists of ``SocialFact/Scope``.
public struct SocialEntry: Sendable, Equatable {
  /// Which entry: a user id, a group id, or a request id.
  public var entityID: String
  /// The revision that stands.
  public var revision: Int64
  /// The entry as JSON.
  public var payload: [UInt8]
}
