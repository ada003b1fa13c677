#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The reason a system call gave: its `errno` and the text that goes with it.
public struct SystemFault: Error, Hashable, CustomStringConvertible {
  /// The `errno` value.
  public let number: Int32

  /// Wraps an `errno` value.
  public init(number: Int32) {
    self.number = number
  }

  /// The fault of the call that has just failed on this thread; read it before any other call.
  public static var latest: SystemFault { SystemFault(number: errno) }

  /// True for a want of space or quota, or a limit on file sizes: the same call may succeed later.
  public var isTemporary: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }

  /// The system's own words, such as "No such file or directory".
  public var description: String { String(cString: strerror(number)) }
}

extension SystemFault {
  static let fileExists = SystemFault(number: EEXIST)
  static let noSuchFile = SystemFault(number: ENOENT)
  static let permissionDenied = SystemFault(number: EACCES)
}
