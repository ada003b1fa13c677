#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The two things the kit takes from the process: environment variables and the error stream.
enum ProcessEnvironment {
  static func value(of name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Writes a line to standard error in one call, so that lines of parallel tests do not mix.
  static func printError(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    // A failed write of a diagnostic has nowhere to be reported.
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}
