import Synchronization
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One thread that listens for changes of other processes and tells the head monitor. It believes nobody: whatever wakes
/// it, it looks at the history on a read connection of its own.
final class WakeThread: Sendable {
  private struct State {
    var isStopped = false
  }

  private let state = Mutex(State())
  /// Written to stop the thread.
  private let stopPipe: (read: Int32, write: Int32)
  private let thread: DedicatedThread?

  init(database path: String, options: WakeOptions, bell: Doorbell?, head: HeadMonitor) {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    stopPipe = (ends[0], ends[1])
    let stop = ends[0]
    thread = DedicatedThread { Self.listen(database: path, options: options, bell: bell, head: head, stop: stop) }
  }

  deinit {
    stop()
    if stopPipe.write >= 0 { _ = close(stopPipe.write) }
  }

  /// Ends the thread. May be called again.
  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopped = true }
      return !state.isStopped
    }
    guard isFirst else { return }
    var byte: UInt8 = 0
    _ = write(stopPipe.write, &byte, 1)
    thread?.join()
    if stopPipe.read >= 0 { _ = close(stopPipe.read) }
  }

  private static func listen(
    database path: String, options: WakeOptions, bell: Doorbell?, head: HeadMonitor, stop: Int32
  ) {
    let watch = options.watchesDirectory ? DirectoryWatch(database: path) : nil
    var look = HeadLook(path: path)
    var schedule = WakeSchedule(
      activePeriod: options.activePeriod.milliseconds, idlePeriod: options.idlePeriod.milliseconds)
    var isWokenByWatch = false
    while true {
      // Subscribed before the look: what comes in between wakes.
      if !isWokenByWatch { watch?.arm() }
      let sight = look.take()
      let isNews = sight.isOther || sight.head.map { $0 != head.head } ?? false
      let seq = sight.head ?? head.head
      if sight.isOther { head.recorded(upTo: seq) } else { head.moved(to: seq) }
      schedule.looked(foundNews: isNews, at: now())
      // A transaction moves the file many times before it can be seen, and so do the own ones: after a look in vain the
      // watch is left alone until the next look.
      let isPausing = isWokenByWatch && !isNews
      if isWokenByWatch, isNews {
        watch?.arm()
        schedule.woken()
      }
      var descriptors = [
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isPausing ? -1 : watch?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let sleep = Int32(clamping: schedule.sleep(isWaitedFor: head.isWaitedFor, at: now()))
      _ = poll(&descriptors, 3, sleep)
      if descriptors[0].revents != 0 { return }
      if descriptors[1].revents != 0 {
        bell?.drain()
        schedule.woken()
      }
      isWokenByWatch = descriptors[2].revents != 0
      if isWokenByWatch {
        watch?.drain()
        schedule.woken()
      }
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// Looks at the head on a connection that is opened when it is needed and anew when the file was replaced.
private struct HeadLook {
  let path: String
  private var connection: Connection?
  private var statement: Statement?
  private var standing: FileStanding?
  private var last: (head: Int64, nonce: Int64)?

  init(path: String) { self.path = path }

  /// What a look has found: the head, where it could be read, and whether the file is another one or holds another past.
  mutating func take() -> (head: Int64?, isOther: Bool) {
    let now = FileStanding(path: path)
    let isReplaced = now?.device != standing?.device || now?.number != standing?.number
    let isOther = isReplaced && standing != nil
    if isReplaced { (statement, connection, standing) = (nil, nil, now) }
    guard now != nil, let found = read() else { return (nil, isOther) }
    defer { last = found }
    return (found.head, isOther || last.map { $0.head == found.head && $0.nonce != found.nonce } ?? false)
  }

  private mutating func read() -> (head: Int64, nonce: Int64)? {
    do throws(StoreError) {
      if statement == nil {
        let connection = try Connection(path: path, options: .reader)
        statement = try connection.prepare(
          """
          SELECT \(RecordingTables.head), coalesce(
            (SELECT nonce FROM history_txn ORDER BY seq DESC LIMIT 1), (SELECT purged_nonce FROM history_store), 0)
          """)
        self.connection = connection
      }
      guard let statement, try statement.step() else { return nil }
      defer { statement.reset() }
      return (statement.int64(0), statement.int64(1))
    } catch {
      (statement, connection) = (nil, nil)
      return nil
    }
  }
}

extension Duration {
  /// Whole milliseconds, at least one and at most a thousand years.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = Swift.min(self, .seconds(31_557_600_000)).components
    return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
  }

  /// At least a millisecond, at most ten years: what a clock can sleep.
  var forSleeping: Duration { Swift.min(Swift.max(self, .milliseconds(1)), .seconds(315_576_000)) }
}
