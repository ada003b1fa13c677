/// When the writer folds the log into the file (storage spec, "Recommended schema and writer"): PASSIVE beyond 4,000
/// pages (8 MiB) or in a pause, FULL beyond four times as many, where readers have kept the log from being emptied, and
/// beyond five times with more patience than readers of this library may try: only a view of another program can keep
/// the log longer than that.
struct CheckpointSchedule {
  /// How long a pause must be, in microseconds.
  static let idleMicroseconds: Int64 = 250_000
  /// A pause is not used for fewer pages than this, since each checkpoint syncs the disk twice.
  private static let idlePages: Int32 = 64
  private static let fullFactor: Int32 = 4
  private static let insistentFactor: Int32 = 5

  private let pages: Int32
  private var next: Int32
  private var nextInsistent: Int32
  private var doneAt: Int32 = 0

  init(_ options: ConnectionOptions) {
    pages = max(options.checkpointPages, 1)
    next = pages
    nextInsistent = pages &* Self.insistentFactor
  }

  /// Whether a pause would be used, with `count` pages in the log.
  func isIdleDue(_ count: Int32) -> Bool { count >= Self.idlePages && count != doneAt }

  /// A pause has been used.
  mutating func idled(at count: Int32) { doneAt = count }

  /// What is due after a commit that left `count` pages in the log.
  mutating func due(_ count: Int32) -> Connection.CheckpointMode? {
    if count < pages {
      next = pages
      nextInsistent = pages &* Self.insistentFactor
    }
    guard count > next else { return nil }
    // A reader or a full disk may keep the log long: try again a quarter later, not at every commit.
    next = count &+ max(pages / 4, 1)
    if count > nextInsistent {
      // It holds up the writer: where it was in vain, not again before the log is half as long again.
      nextInsistent = count > .max / 2 ? .max : count + count / 2
      return .insistent
    }
    return count > pages &* Self.fullFactor ? .full : .passive
  }
}
