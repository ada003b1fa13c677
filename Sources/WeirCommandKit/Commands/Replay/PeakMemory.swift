#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The most memory the process has had at once.
enum PeakMemory {
  /// Resident bytes; nil when the system does not tell.
  static var bytes: Int64? {
    var usage = rusage()
    #if canImport(Glibc)
      // Linux counts in KiB.
      guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
      return Int64(usage.ru_maxrss) * 1_024
    #else
      guard getrusage(RUSAGE_SELF, &usage) == 0 else { return nil }
      return Int64(usage.ru_maxrss)
    #endif
  }
}
