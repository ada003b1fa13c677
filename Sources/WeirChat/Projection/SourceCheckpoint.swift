import WeirStore

/// How far a source of facts has been stored: written in the transaction of the facts themselves, so that after any
/// crash the source goes on exactly behind what is stored.
public struct SourceCheckpoint: Sendable, Equatable {
  /// Which source.
  public var source: String
  /// Its position, in its own terms: an offset, a cursor, a token.
  public var position: [UInt8]

  /// The position of a source.
  public init(source: String, position: [UInt8]) {
    self.source = source
    self.position = position
  }
}

/// The positions of sources. The latest word stands: a source knows itself what it goes on from.
final class CheckpointTable {
  private let select: Statement
  private let upsert: Statement?

  init(_ connection: Connection, writes: Bool) throws(StoreError) {
    select = try connection.prepare("SELECT position, crc FROM checkpoints WHERE source = ?1")
    upsert =
      writes
      ? try connection.prepare(
        """
        INSERT INTO checkpoints(source, position, crc) VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET position = ?2, crc = ?3
        """) : nil
  }

  /// Writes a position down.
  func save(_ checkpoint: SourceCheckpoint) throws(StoreError) {
    guard let upsert else { throw StoreError(.readOnly, "a reader cannot note a checkpoint") }
    upsert.bind(checkpoint.source, at: 1)
    upsert.bind(checkpoint.position, at: 2)
    upsert.bind(Self.checksum(checkpoint.source, checkpoint.position), at: 3)
    try upsert.run()
  }

  /// The position of a source; nil when it never had one.
  func position(of source: String) throws(StoreError) -> [UInt8]? {
    select.bind(source, at: 1)
    guard try select.step() else { return nil }
    defer { select.reset() }
    let position = select.bytes(0)
    guard select.int64(1) == Self.checksum(source, position) else {
      throw StoreError(.corrupt, "the checkpoint of \(source) does not match its checksum")
    }
    return position
  }

  private static func checksum(_ source: String, _ position: [UInt8]) -> Int64 {
    var checksum = Checksum()
    checksum.add(source)
    checksum.add(position)
    return Int64(checksum.value)
  }
}
