/// What a file seems to be when it is plainly not lines of text.
public enum BinaryHint: Sendable, Equatable {
  /// A gzip file.
  case gzip
  /// A zstd frame.
  case zstandard
  /// A SQLite database.
  case sqlite
  /// UTF-16 with a byte order mark.
  case utf16
  /// Bytes of zero, which text does not have.
  case zeroBytes

  /// How much of a file's beginning is looked at.
  static let lookedAt = 8_192

  /// Looks at the first block of a file; nil when it may be text.
  public init?(firstBlock: some Collection<UInt8>) {
    let start = firstBlock.prefix(Self.lookedAt)
    if start.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      self = .zstandard
    } else if start.starts(with: "SQLite format 3\0".utf8) {
      self = .sqlite
    } else if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
      self = .utf16
    } else if start.contains(0) {
      self = .zeroBytes
    } else {
      return nil
    }
  }

  /// What the user should know, to be put after the file's name.
  public var reason: String {
    switch self {
    case .gzip: "is compressed with gzip; decompress it first (gzip -dc FILE | weir ... -)"
    case .zstandard: "is compressed with zstd; decompress it first (zstd -dc FILE | weir ... -)"
    case .sqlite: "is a SQLite database, not lines of JSON"
    case .utf16: "is UTF-16 text; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8 FILE)"
    case .zeroBytes: "holds zero bytes, so it is not lines of JSON text"
    }
  }
}
