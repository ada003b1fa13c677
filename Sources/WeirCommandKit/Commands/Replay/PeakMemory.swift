#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The most memory the process has had at once.
enum PeakMemory {
  /// Resident bytes; nil when the system does not tell.
  static var bytes: Int64? {
    #if canImport(Glibc)
      // Not from getrusage, which on Linux also counts what the process had been before it became this program.
      var text = [UInt8](repeating: 0, count: 8_192)
      guard let file = try? OpenFile(reading: "/proc/self/status"), let count = try? file.read(into: &text) else {
        return nil
      }
      let lines = String(decoding: text.prefix(count), as: UTF8.self).split(separator: "\n")
      guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
      return Int64(line.filter { $0.isASCII && $0.isNumber }).map { $0 * 1_024 }
    #else
      var usage = rusage()
      guard getrusage(RUSAGE_SELF, &usage) == 0 else { return nil }
      return Int64(usage.ru_maxrss)
    #endif
  }
}
