import CSQLite

/// What is known about the SQLite library the process runs with.
public enum SQLiteLibrary {
  /// The version number in use, for example 3040001 for 3.40.1.
  public static var versionNumber: Int32 { sqlite3_libversion_number() }

  /// The version in use, for example "3.40.1".
  public static var version: String { name(of: versionNumber) }

  private static func name(of version: Int32) -> String {
    "\(version / 1_000_000).\(version / 1_000 % 1_000).\(version % 1_000)"
  }

  /// A remark about the library that an operator should see once.
  public struct Notice: Sendable, Equatable {
    /// Stable code of the notice.
    public let code: String
    /// What it means and what to do.
    public let message: String
  }

  /// The notices for a version number, by default the one in use.
  ///
  /// Versions 3.7.0 to 3.51.2 can lose committed frames when a checkpoint races a commit that resets the log; 3.44.6
  /// and 3.50.7 carry the repair on their branches (storage spec E7).
  public static func notices(version: Int32 = versionNumber) -> [Notice] {
    let affected = (3_007_000...3_051_002).contains(version)
    let repaired = (3_044_006..<3_045_000).contains(version) || (3_050_007..<3_051_000).contains(version)
    guard affected, !repaired else { return [] }
    return [
      Notice(
        code: "store.sqlite-wal-reset",
        message: "SQLite \(name(of: version)) can lose commits when a checkpoint races a commit of another connection; "
          + "this store checkpoints on its writer only; let no other program write or checkpoint the file, "
          + "or update SQLite to 3.51.3, 3.50.7 or 3.44.6")
    ]
  }
}
