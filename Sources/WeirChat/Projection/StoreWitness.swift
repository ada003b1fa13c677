import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A small file beside the store that says which file stands there and how far it had got: `NAME-witness`.
///
/// SQLite opens a file without a word when the log beside it belongs to another file, when the log is gone, or when the
/// file was cut to nothing: it then shows an older or a foreign state (storage spec E8). The witness is written and
/// synced only after its revision is on the disk itself, so a store that is behind its witness has lost commits.
struct StoreWitness: Sendable {
  /// Where it stands.
  let path: String
  private static let magic = Array("WeirWit1".utf8)

  init(store: String) { path = store + "-witness" }

  /// Looks at the file before anything in it is changed.
  ///
  /// - Throws: `StoreError` of kind `corrupt` or `foreignFile`.
  func verify(_ connection: Connection) throws(StoreError) {
    guard let noted = read() else { return }
    let hasMeta = try connection.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").firstInt64() == 1
    guard hasMeta else {
      throw StoreError(
        .corrupt, "\(connection.path) has no tables, but \(path) says that it had reached revision \(noted.revision)")
    }
    let identity = try Meta.identity(connection)
    guard identity == noted.identity else {
      throw StoreError(
        .foreignFile,
        "\(connection.path) or its -wal belongs to another store than \(path) says; all files of a store move together")
    }
    let revision = try connection.prepare("SELECT revision FROM meta").firstInt64() ?? 0
    guard revision >= noted.revision else {
      throw StoreError(
        .corrupt,
        "\(connection.path) is at revision \(revision), but \(noted.revision) had been on the disk: commits are lost; "
          + "remove \(path) to accept an older copy on purpose")
    }
  }

  /// Notes where the store stands when it is opened, if nothing was noted yet. A directory that cannot be written to is
  /// no reason to refuse a store that can.
  func open(for writer: ProjectionWriter) throws(StoreError) {
    if read() == nil, writer.meta.revision == 0 {
      write(identity: try Meta.identity(writer.connection), revision: 0)
    }
  }

  /// Replaces what was noted, and syncs it. Failing is no harm: the older note stays true.
  func write(identity: [UInt8], revision: Int64) {
    var bytes = Self.magic + identity
    withUnsafeBytes(of: revision.littleEndian) { bytes += Array($0) }
    var checksum = Checksum()
    checksum.add(bytes)
    withUnsafeBytes(of: checksum.value.littleEndian) { bytes += Array($0) }
    let file = Self.openFile(path, O_WRONLY | O_CREAT | O_CLOEXEC)
    guard file >= 0 else { return }
    // 36 bytes inside one sector: a torn write shows in the checksum and reads as no note.
    if pwrite(file, bytes, bytes.count, 0) == bytes.count { _ = fsync(file) }
    _ = Self.closeFile(file)
  }

  /// What stands there.
  enum Note: Sendable, Equatable {
    case none
    /// It cannot be read, or does not match its checksum.
    case damaged
    case noted(identity: [UInt8], revision: Int64)
  }

  /// What is noted; nil when there is no note or it is damaged.
  func read() -> (identity: [UInt8], revision: Int64)? {
    if case .noted(let identity, let revision) = note() { (identity, revision) } else { nil }
  }

  /// What stands there, read anew.
  func note() -> Note {
    let file = Self.openFile(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return errno == ENOENT ? .none : .damaged }
    defer { _ = Self.closeFile(file) }
    var bytes = [UInt8](repeating: 0, count: 36)
    guard pread(file, &bytes, bytes.count, 0) == bytes.count, bytes.starts(with: Self.magic) else { return .damaged }
    var checksum = Checksum()
    checksum.add(Array(bytes[..<32]))
    let stored = bytes[32...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard stored == checksum.value else { return .damaged }
    let revision = bytes[24..<32].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return .noted(identity: Array(bytes[8..<24]), revision: Int64(bitPattern: revision))
  }

  private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, flags, 0o644)
    #else
      Darwin.open(path, flags, 0o644)
    #endif
  }

  private static func closeFile(_ file: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.close(file)
    #else
      Darwin.close(file)
    #endif
  }
}
