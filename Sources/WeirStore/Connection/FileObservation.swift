#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a file is read without making anything beside it. SQLite's read-only mode alone does not do: it makes an empty
/// -wal and -shm for a file that has none.
enum FileObservation {
  /// A writer has the file open, or died over it: its -wal and -shm are there and are shared with it.
  case shared
  /// There is a log without its index, as in a copy: nobody writes. The index is made in memory, without locks.
  case logAlone
  /// There is no log: nobody writes, and the file is all.
  case still

  /// What stands beside the file now.
  init(path: String) {
    let hasLog = access(path + "-wal", F_OK) == 0
    self = hasLog ? (access(path + "-shm", F_OK) == 0 ? .shared : .logAlone) : .still
  }

  /// The name to open the file by.
  func name(of path: String) -> String {
    guard case .still = self else { return path }
    return "file:" + Self.escaped(path) + "?immutable=1"
  }

  /// Whether the name is a URI.
  var isURI: Bool { if case .still = self { true } else { false } }

  /// The SQLite VFS; nil for the default one.
  var vfs: String? { if case .logAlone = self { "unix-none" } else { nil } }

  /// What must be run before anything is read.
  var preparation: String? { if case .logAlone = self { "PRAGMA locking_mode = EXCLUSIVE" } else { nil } }

  /// A path as the path of a URI.
  private static func escaped(_ path: String) -> String {
    // Two slashes at the beginning would name a host.
    var result = path.utf8.starts(with: "//".utf8) ? "/." : ""
    let digits = Array("0123456789ABCDEF")
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%"
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      }
    }
    return result
  }
}
