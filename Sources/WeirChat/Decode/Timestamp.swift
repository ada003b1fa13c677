/// Times as OpenIM writes them.
enum Timestamp {
  /// A recall made on this device is stamped in seconds, one from the server in milliseconds (receiving spec §1.7
  /// rule 4). A time of zero or less is an unknown one.
  static func milliseconds(_ time: Int64) -> Int64 {
    time <= 0 ? 0 : time < 100_000_000_000 ? time * 1_000 : time
  }
}
