import WeirStore

/// Texts that occur again and again (user ids, names, picture addresses) as numbers; 0 is the empty text.
///
/// Keeps the recent ones in memory, at most `cacheLimit` of them each way. A writer must call `forget` after a
/// rollback, because the numbers given out since BEGIN are gone with it.
final class InternedStrings {
  private static let cacheLimit = 16_384

  private let find: Statement
  private let load: Statement
  /// Nil on a connection that only reads.
  private let insert: Statement?
  private let connection: Connection
  private var numbers: [ByteKey: Int64] = [:]
  private var texts: [Int64: String] = [:]

  init(_ connection: Connection, writes: Bool) throws(StoreError) {
    self.connection = connection
    find = try connection.prepare("SELECT id, value, crc FROM strings WHERE value = ?1")
    load = try connection.prepare("SELECT id, value, crc FROM strings WHERE id = ?1")
    insert = writes ? try connection.prepare("INSERT INTO strings(value, crc) VALUES (?1, ?2)") : nil
  }

  /// The number of a text, new if need be.
  func number(_ text: String) throws(StoreError) -> Int64 {
    if text.isEmpty { return 0 }
    if let known = numbers[ByteKey(text: text)] { return known }
    if let found = try existing(text) { return found }
    guard let insert else { throw StoreError(.readOnly, "a reader cannot intern a text") }
    insert.bind(text, at: 1)
    insert.bind(Int64(Self.checksum(text)), at: 2)
    try insert.run()
    return remember(connection.lastInsertedRow, text)
  }

  /// The number of a text that is stored already.
  func existing(_ text: String) throws(StoreError) -> Int64? {
    if text.isEmpty { return 0 }
    if let known = numbers[ByteKey(text: text)] { return known }
    find.bind(text, at: 1)
    guard try find.step() else { return nil }
    defer { find.reset() }
    return remember(find.int64(0), text)
  }

  /// The text of a number.
  func text(_ number: Int64) throws(StoreError) -> String {
    if number == 0 { return "" }
    if let known = texts[number] { return known }
    load.bind(number, at: 1)
    guard try load.step() else { throw StoreError(.corrupt, "text \(number) is missing") }
    defer { load.reset() }
    let text = load.string(1)
    guard load.int64(2) == Int64(Self.checksum(text)) else {
      throw StoreError(.corrupt, "text \(number) does not match its checksum")
    }
    remember(number, text)
    return text
  }

  /// Drops what is remembered.
  func forget() {
    numbers.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }

  @discardableResult
  private func remember(_ number: Int64, _ text: String) -> Int64 {
    if numbers.count >= Self.cacheLimit { numbers.removeAll(keepingCapacity: true) }
    if texts.count >= Self.cacheLimit { texts.removeAll(keepingCapacity: true) }
    numbers[ByteKey(text: text)] = number
    texts[number] = text
    return number
  }

  private static func checksum(_ text: String) -> UInt32 {
    var checksum = Checksum()
    checksum.add(text)
    return checksum.value
  }
}
