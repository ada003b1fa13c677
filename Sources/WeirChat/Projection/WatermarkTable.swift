import WeirStore

/// How far each user has read each conversation, and when.
///
/// Of the marks of one reader those are kept that no other covers with at least its seq at the same time or earlier:
/// along them both seq and time grow. So the earliest known reading time of any message is that of the first mark at or
/// above its seq, whatever the order in which the marks came. About 20 bytes for each time somebody read on.
final class WatermarkTable {
  private let covering: Statement
  private let greatest: Statement
  private let next: Statement
  private let previous: Statement
  private let insert: Statement?
  private let trim: Statement?

  init(_ connection: Connection, writes: Bool) throws(StoreError) {
    covering = try connection.prepare(
      """
      SELECT seq, time, crc FROM watermarks WHERE conversation = ?1 AND reader = ?2 AND seq >= ?3 ORDER BY seq LIMIT 1
      """)
    greatest = try connection.prepare("SELECT max(seq) FROM watermarks WHERE conversation = ?1 AND reader = ?2")
    next = try connection.prepare("SELECT min(reader) FROM watermarks WHERE conversation = ?1 AND reader > ?2")
    previous = try connection.prepare(
      "SELECT max(seq) FROM watermarks WHERE conversation = ?1 AND reader = ?2 AND seq < ?3")
    insert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO watermarks(conversation, reader, seq, time, crc) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT DO UPDATE SET time = ?4, crc = ?5
        """) : nil
    trim =
      writes
      ? try connection.prepare(
        "DELETE FROM watermarks WHERE conversation = ?1 AND reader = ?2 AND seq <= ?3 AND time >= ?4") : nil
  }

  /// Joins a mark; false when it tells nothing new. `time` is 0 when unknown.
  func join(_ conversation: Int64, reader: Int64, seq: Int64, time: Int64) throws(StoreError) -> Bool {
    let time = time > 0 ? time : .max
    if let mark = try mark(conversation, reader, at: seq), mark.time <= time { return false }
    guard let insert, let trim else { throw StoreError(.readOnly, "a reader cannot note a mark") }
    for (index, number) in [conversation, reader, seq, time].enumerated() {
      insert.bind(number, at: Int32(index) + 1)
      trim.bind(number, at: Int32(index) + 1)
    }
    try trim.run()
    insert.bind(Self.checksum(conversation, reader, seq, time), at: 5)
    try insert.run()
    return true
  }

  /// The greatest seq a reader has read; 0 for none.
  func greatest(_ conversation: Int64, reader: Int64) throws(StoreError) -> Int64 {
    greatest.bind(conversation, at: 1)
    greatest.bind(reader, at: 2)
    return try greatest.firstInt64() ?? 0
  }

  /// Whether a reader has read a seq, and the earliest known time of it (0 for unknown).
  func reading(_ conversation: Int64, reader: Int64, seq: Int64) throws(StoreError) -> (isRead: Bool, time: Int64) {
    guard seq > 0, let mark = try mark(conversation, reader, at: seq) else { return (false, 0) }
    return (true, mark.time == .max ? 0 : mark.time)
  }

  /// As `reading`, and all seqs of which the same holds.
  func span(
    _ conversation: Int64, reader: Int64, seq: Int64
  ) throws(StoreError) -> (seqs: ClosedRange<Int64>, isRead: Bool, time: Int64) {
    guard seq > 0 else { return (seq...seq, false, 0) }
    previous.bind(conversation, at: 1)
    previous.bind(reader, at: 2)
    previous.bind(seq, at: 3)
    let below = try previous.firstInt64() ?? 0
    guard let mark = try mark(conversation, reader, at: seq) else { return ((below + 1)...Int64.max, false, 0) }
    return ((below + 1)...mark.seq, true, mark.time == .max ? 0 : mark.time)
  }

  /// Everybody who has a mark in the conversation.
  func readers(_ conversation: Int64) throws(StoreError) -> [Int64] {
    var readers: [Int64] = []
    next.bind(conversation, at: 1)
    var last: Int64 = -1
    while true {
      next.bind(last, at: 2)
      guard try next.step() else { return readers }
      defer { next.reset() }
      if next.type(0) == .null { return readers }
      last = next.int64(0)
      readers.append(last)
    }
  }

  /// The first mark of a reader at or above a seq: the earliest known reading of it. Its time is the greatest number when
  /// unknown.
  func mark(
    _ conversation: Int64, _ reader: Int64, at seq: Int64
  ) throws(StoreError) -> (seq: Int64, time: Int64)? {
    covering.bind(conversation, at: 1)
    covering.bind(reader, at: 2)
    covering.bind(seq, at: 3)
    guard try covering.step() else { return nil }
    defer { covering.reset() }
    let mark = (seq: covering.int64(0), time: covering.int64(1))
    guard covering.int64(2) == Self.checksum(conversation, reader, mark.seq, mark.time) else {
      throw StoreError(.corrupt, "a read mark does not match its checksum")
    }
    return mark
  }

  static func checksum(_ conversation: Int64, _ reader: Int64, _ seq: Int64, _ time: Int64) -> Int64 {
    var checksum = Checksum()
    for number in [conversation, reader, seq, time] { checksum.add(number) }
    return Int64(checksum.value)
  }
}
