import Synchronization
import Weir

/// The source node of a replay: reads lines, paces them, and sends them into the graph.
struct LineIngest: Sendable {
  let inputs: [LineInput]
  let settings: LineSource.Settings
  /// Most lines a second; nil for no limit.
  let rate: Int?
  let clock: GraphClock
  let tally: ReplayTally
  let refusals: RefusalLog
  let notices: Notices

  func run(_ output: ProcessOutput<RawLine>) async throws {
    do {
      try await read(output)
    } catch LineSourceError.cancelled {
      // In words that the graph knows.
      throw CancellationError()
    }
  }

  private func read(_ output: ProcessOutput<RawLine>) async throws {
    var settings = settings
    let clock = clock
    settings.sleep = { duration in try await output.idle { try await clock.sleep(for: duration) } }
    let events = EventBuffer()
    var source = try LineSource(inputs, settings: settings) { events.append($0) }
    var pacer = rate.map { RatePacer(perSecond: $0, start: clock.now) }
    // Few lines at a time where they are to be spread: those read and not sent when the user stops are not counted.
    let batch = rate.map { min(256, max(1, $0 / 50)) } ?? 256
    var lines: [RawLine] = []
    var isOpen = true
    while isOpen, try await source.next(into: &lines, limit: batch) {
      try handle(events.take())
      var sent = 0
      defer { tally.read(lines: sent, bytes: source.bytesRead) }
      for line in lines {
        if let wait = pacer?.wait(at: clock.now) { try await output.idle { try await clock.sleep(for: wait) } }
        isOpen = await output.send(line)
        if !isOpen { break }
        sent += 1
      }
      lines.removeAll(keepingCapacity: true)
    }
    // What was read and not delivered: refused lines and the line breaks at the end.
    tally.read(lines: 0, bytes: source.bytesRead)
    try handle(events.take())
  }

  private func handle(_ events: [LineSourceEvent]) throws {
    for event in events {
      switch event {
      case .refused(let line):
        tally.refused()
        try refusals.add(Reject(line, file: inputs[line.source].name))
        try refusals.flush()
      case .looksBinary(let source, let hint):
        guard hint == .zeroBytes else { throw ReplayError.binaryInput(path: inputs[source].name, hint) }
        notices.post("\(inputs[source].name) \(hint.reason)")
      case .truncated(let source): notices.post("\(inputs[source].name) shrank; reading it from its beginning")
      case .replaced(let source): notices.post("\(inputs[source].name) was replaced; reading the new file")
      case .vanished(let source): notices.post("\(inputs[source].name) has gone; waiting for it")
      case .finished: break
      }
    }
  }
}

/// Events between two pulls; a pull makes no more of them than a block has lines.
private final class EventBuffer: Sendable {
  private let events = Mutex<[LineSourceEvent]>([])

  func append(_ event: LineSourceEvent) { events.withLock { $0.append(event) } }

  func take() -> [LineSourceEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

extension RawLine: Weighted {
  /// What it keeps alive, in bytes.
  public var weight: Int { bytes.count + MemoryLayout<RawLine>.stride }
}

extension Reject {
  /// A line that was longer than the limit.
  init(_ line: RefusedLine, file: String) {
    self.init(
      file: file, line: line.number, offset: line.offset, code: RefusedLine.code, reason: line.reason,
      bytes: line.start, length: line.length)
  }
}
