/// How changes of other processes are noticed. Each way alone suffices; they differ in how long a change takes:
///
/// | Way | Until a change is seen |
/// |---|---|
/// | doorbell | at once: the writer rings after its COMMIT. A raw client does not ring. |
/// | directory watch (Linux) | at once, or within 43 ms where the file moved before the COMMIT was visible |
/// | timer | within ``activePeriod`` while somebody waits and something has changed in the last half minute, else ``idlePeriod`` |
public struct WakeOptions: Sendable, Hashable {
  /// Whether this process rings after its commits and listens for the bells of others.
  public var doorbell: Bool
  /// Whether the directory of the file is watched.
  public var watchesDirectory: Bool
  /// The period of the timer while there is work.
  public var activePeriod: Duration
  /// The period of the timer in quiet times.
  public var idlePeriod: Duration

  /// The defaults: all of them, 250 ms and 5 s.
  public init(
    doorbell: Bool = true, watchesDirectory: Bool = true, activePeriod: Duration = .milliseconds(250),
    idlePeriod: Duration = .seconds(5)
  ) {
    self.doorbell = doorbell
    self.watchesDirectory = watchesDirectory
    self.activePeriod = max(activePeriod, .milliseconds(1))
    self.idlePeriod = max(idlePeriod, .milliseconds(1))
  }
}

/// When the watcher looks at the history again: a pure value, in milliseconds of a clock that never goes back.
struct WakeSchedule: Sendable {
  /// Looks after a wake that found nothing: a file may move before the commit is visible (history spec §2).
  static let ladder: [Int64] = [2, 8, 32]

  let activePeriod: Int64
  let idlePeriod: Int64
  private var step: Int?
  private var lastChange: Int64 = .min / 2

  init(activePeriod: Int64, idlePeriod: Int64) {
    self.activePeriod = max(activePeriod, 1)
    self.idlePeriod = max(idlePeriod, 1)
  }

  /// Something outside said that there may be news; a look follows now.
  mutating func woken() { step = 0 }

  /// What a look has found.
  mutating func looked(foundNews: Bool, at now: Int64) {
    if foundNews {
      lastChange = now
      step = nil
    }
  }

  /// How long to sleep before the next look.
  mutating func sleep(isWaitedFor: Bool, at now: Int64) -> Int64 {
    if let step {
      if step < Self.ladder.count {
        self.step = step + 1
        return Self.ladder[step]
      }
      self.step = nil
    }
    return isWaitedFor && now - lastChange < 30_000 ? activePeriod : idlePeriod
  }
}
