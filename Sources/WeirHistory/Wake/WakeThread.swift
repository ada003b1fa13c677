import Synchronization
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One thread that listens for changes of other processes and tells the head monitor. It believes nobody: whatever wakes
/// it, it looks at the history on a read connection of its own, and reads there at once what is waited for.
final class WakeThread: Sendable {
  private let isStopped = Mutex(false)
  private let messages: WakeMessages
  private let head: HeadMonitor
  private let thread: DedicatedThread?

  init(database path: String, options: WakeOptions, bell: Doorbell?, head: HeadMonitor) {
    let messages = WakeMessages()
    self.messages = messages
    self.head = head
    thread = DedicatedThread {
      Self.listen(database: path, options: options, bell: bell, head: head, messages: messages)
    }
    head.setPoke { messages.send(.look) }
  }

  deinit { stop() }

  /// Ends the thread. May be called again.
  func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    head.setPoke {}
    messages.send(.stop)
    thread?.join()
  }

  /// After somebody has waited the files are watched for so long, in milliseconds: most who wait do so again.
  private static let attention: Int64 = 1_000

  private static func listen(
    database path: String, options: WakeOptions, bell: Doorbell?, head: HeadMonitor, messages: WakeMessages
  ) {
    let watch = options.watchesDirectory ? DirectoryWatch(database: path) : nil
    var look = HeadLook(path: path)
    var schedule = WakeSchedule(
      activePeriod: options.activePeriod.milliseconds, idlePeriod: options.idlePeriod.milliseconds)
    var isWokenByWatch = false
    var lastWaitedFor = now() - attention
    while true {
      if head.isWaitedFor { lastWaitedFor = now() }
      // A process that only writes is not told of its own changes: that costs the writer time.
      let isWatching = head.mustWatch(goingOn: now() - lastWaitedFor < attention)
      // Subscribed before the look: what comes in between wakes.
      if isWatching, !isWokenByWatch { watch?.arm() }
      var isNews = false
      var woken: [(HeadMonitor.Waiter, HistoryPage?)] = []
      look.take { sight, page in
        isNews = sight.isOther || sight.head.map { $0 != head.head } ?? false
        let seq = sight.head ?? head.head
        if sight.isOther { return head.recorded(upTo: seq) }
        for waiter in head.moved(to: seq) { woken.append((waiter, page(waiter.request))) }
      }
      // After the view of the file has ended: what is done with a page may take any time.
      for (waiter, page) in woken { waiter.resume(with: page) }
      schedule.looked(foundNews: isNews, at: now())
      // A transaction moves the file many times before it can be seen, and so do the own ones: after a look in vain the
      // watch is left alone until the next look.
      let isPausing = isWokenByWatch && !isNews
      if isWokenByWatch, isNews {
        watch?.arm()
        schedule.woken()
      }
      var descriptors = [
        pollfd(fd: messages.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isPausing || !isWatching ? -1 : watch?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&descriptors, 3, Int32(clamping: schedule.sleep(isWaitedFor: head.isWaitedFor, at: now())))
      isWokenByWatch = descriptors[2].revents != 0
      if isWokenByWatch {
        watch?.drain()
        schedule.woken()
        // The file moves before its commit can be seen: a bell, or a moment, tells better when to look.
        if descriptors[1].revents == 0 { _ = poll(&descriptors, 2, 1) }
      }
      if descriptors[0].revents != 0, messages.take() == .stop { return }
      if descriptors[1].revents != 0 {
        bell?.drain()
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
  private var context: ReadingContext?
  private var standing: FileStanding?
  private var last: (head: Int64, nonce: Int64)?

  init(path: String) { self.path = path }

  /// What a look has found: the head, where it could be read, and whether the file is another one or holds another past.
  typealias Sight = (head: Int64?, isOther: Bool)

  /// Looks, and gives `body` what was found and a way to read pages of the same state of the file. Whoever gets no page asks the
  /// reader, and hears from it what is wrong.
  mutating func take(_ body: (Sight, (PageRequest) -> HistoryPage?) -> Void) {
    let now = FileStanding(path: path)
    let isReplaced = now?.device != standing?.device || now?.number != standing?.number
    let isOther = isReplaced && standing != nil
    if isReplaced { (context, statement, connection, standing) = (nil, nil, nil, now) }
    guard now != nil, open() else { return body((nil, isOther), { _ in nil }) }
    var isTold = false
    try? connection?.snapshot { () throws(StoreError) in
      guard let found = try read() else { return }
      let isRewritten = last.map { $0.head == found.head && $0.nonce != found.nonce } ?? false
      last = found
      isTold = true
      body((found.head, isOther || isRewritten)) { request in
        guard let page = try? context?.pageInSnapshot(request).get(), page.end.seq > page.start else { return nil }
        return page
      }
    }
    if !isTold {
      (context, statement, connection) = (nil, nil, nil)
      body((nil, isOther), { _ in nil })
    }
  }

  private mutating func open() -> Bool {
    if statement != nil { return true }
    do throws(StoreError) {
      let connection = try Connection(path: path, options: .reader)
      statement = try connection.prepare(
        """
        SELECT head, coalesce(\(RecordingTables.nonce(of: "head")), (SELECT purged_nonce FROM history_store), 0)
        FROM (SELECT \(RecordingTables.head) AS head)
        """)
      context = try ReadingContext(connection)
      self.connection = connection
      return true
    } catch {
      statement = nil
      return false
    }
  }

  private func read() throws(StoreError) -> (head: Int64, nonce: Int64)? {
    guard let statement, try statement.step() else { return nil }
    defer { statement.reset() }
    return (statement.int64(0), statement.int64(1))
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
