#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The one name of a file that can be reached by several.
enum StorePath {
  /// The path without links and detours. Where the file is not there yet, that of its folder; where neither is, the path
  /// as it was given.
  static func canonical(_ path: String) -> String {
    if let found = resolved(path) { return found }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    guard !name.isEmpty, let found = resolved(folder) else { return path }
    return found == "/" ? "/" + name : found + "/" + name
  }

  private static func resolved(_ path: String) -> String? {
    guard !path.isEmpty, !path.utf8.contains(0), let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
