/// Which chunks the other end has, as its sender knows.
struct ChunkBoard: Sendable {
  private enum State: UInt8 {
    /// Not sent, or said to be missing.
    case pending
    /// Sent, and nothing said of it yet.
    case open
    /// Known to be there.
    case there
  }

  private var states: [State]
  private var cursor: Int
  /// Chunks that are known to be there.
  private(set) var thereCount = 0
  private(set) var pendingCount: Int

  /// - Parameters:
  ///   - base: chunks below it are there.
  ///   - received: more that are there.
  init(count: Int, base: Int = 0, received: [Range<Int>] = []) {
    states = [State](repeating: .pending, count: count)
    pendingCount = count
    cursor = 0
    for index in 0..<min(base, count) { mark(index, .there) }
    for range in received { for index in range.clamped(to: 0..<count) { mark(index, .there) } }
  }

  var isComplete: Bool { thereCount == states.count }
  var missingCount: Int { states.count - thereCount }

  /// The first chunk to be sent, which then counts as sent.
  mutating func takeNext() -> Int? {
    while cursor < states.count {
      let index = cursor
      cursor += 1
      if states[index] == .pending {
        mark(index, .open)
        return index
      }
    }
    return nil
  }

  /// What a STATUS says: all that it speaks of. Of chunks behind its horizon nothing is known.
  /// - Parameter onlyArrivals: to believe what is there, and not what is missing: it may be on its way.
  /// - Returns: how many of the chunks that it speaks of were sent and not known to be there, and how many of those are lost.
  mutating func apply(_ status: TransferStatus, onlyArrivals: Bool = false) -> (spoken: Int, lost: Int) {
    var (spoken, lost) = (0, 0)
    var ranges = status.missing[...]
    for index in 0..<min(status.horizon, states.count) {
      while let first = ranges.first, first.upperBound <= index { ranges.removeFirst() }
      let isMissing = ranges.first?.contains(index) ?? false
      if states[index] == .open {
        spoken += 1
        if isMissing { lost += 1 }
      }
      if isMissing {
        if !onlyArrivals, states[index] == .open { mark(index, .pending) }
      } else if states[index] != .there {
        mark(index, .there)
      }
    }
    if !onlyArrivals { cursor = 0 }
    return (spoken, lost)
  }

  private mutating func mark(_ index: Int, _ state: State) {
    if states[index] == .pending { pendingCount -= 1 }
    if state == .pending { pendingCount += 1 }
    if state == .there { thereCount += 1 }
    states[index] = state
  }
}

/// The chunks that a receiver has, and their bytes.
struct ChunkBuffer: Sendable, Equatable {
  let geometry: TransferGeometry
  private(set) var bytes: [UInt8]
  private var isHere: [Bool]
  private(set) var count = 0
  /// Bytes that are here.
  private(set) var byteCount = 0

  init(_ geometry: TransferGeometry) {
    self.geometry = geometry
    bytes = [UInt8](repeating: 0, count: geometry.length)
    isHere = [Bool](repeating: false, count: geometry.count)
  }

  var isComplete: Bool { count == geometry.count }

  /// Keeps a chunk.
  /// - Returns: false when it was here already, or does not fit.
  mutating func insert(_ chunk: [UInt8], at index: Int) -> Bool {
    guard geometry.length(ofChunkAt: index) == chunk.count, !isHere[index] else { return false }
    isHere[index] = true
    count += 1
    byteCount += chunk.count
    let start = index * geometry.chunk
    bytes.replaceSubrange(start..<start + chunk.count, with: chunk)
    return true
  }

  /// The chunks that are missing, in ascending ranges that do not touch.
  var missing: [Range<Int>] { ranges(where: false) }
  /// The chunks that are here.
  var here: [Range<Int>] { ranges(where: true) }

  private func ranges(where value: Bool) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    for index in 0...isHere.count {
      let matches = index < isHere.count && isHere[index] == value
      if matches, start == nil { start = index }
      if !matches, let first = start {
        ranges.append(first..<index)
        start = nil
      }
    }
    return ranges
  }
}
