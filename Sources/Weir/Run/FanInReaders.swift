/// The first input until it ends, then the next. Confined to the task that drives it.
@inlinable
func concatReader<Element: Sendable>(_ inputs: [ChunkReader<Element>], node: NodeRun) -> ChunkReader<Element> {
  let turn = TaskConfined(0)
  return ChunkReader(
    pull: { (out, limit) async throws(PortInterruption) in
      while turn.value < inputs.count {
        if try await inputs[turn.value].pull(&out, limit) {
          node.pass(out.count)
          node.showTaps(out)
          return true
        }
        turn.value += 1
      }
      return false
    },
    close: { for input in inputs { input.close() } })
}

/// A variable of one task.
@usableFromInline
final class TaskConfined<Value>: @unchecked Sendable {
  // Safety: used only by the task that drives the segment it belongs to.
  @usableFromInline var value: Value
  @inlinable init(_ value: Value) { self.value = value }
}

/// One input of a join: its port, and the chunk being worked through. Confined to the task that drives the join.
@usableFromInline
final class JoinInput<Element: Sendable>: @unchecked Sendable {
  // Safety: used only by the task that drives the segment.
  @usableFromInline let reader: ChunkReader<Element>
  @usableFromInline var chunk = Chunk<Element>()
  @usableFromInline var ended = false

  @inlinable
  init(_ reader: ChunkReader<Element>) { self.reader = reader }

  /// Makes sure that an element is there. False when the input has ended.
  @inlinable
  nonisolated(nonsending) func fill(_ limit: Int) async throws(PortInterruption) -> Bool {
    if !chunk.isEmpty { return true }
    if ended { return false }
    var next = Chunk<Element>()
    swap(&next, &chunk)
    let more = try await reader.pull(&next, limit)
    swap(&next, &chunk)
    if !more { ended = true }
    return more
  }

  @inlinable
  func close() {
    ended = true
    chunk.settleAll(.abandoned)
    reader.close()
  }
}

/// Pairs the elements of two inputs. Confined to the task that drives it.
@usableFromInline
final class ZipState<First: Sendable, Second: Sendable>: Sendable {
  @usableFromInline let first: JoinInput<First>
  @usableFromInline let second: JoinInput<Second>
  @usableFromInline let node: NodeRun

  @inlinable
  init(_ first: ChunkReader<First>, _ second: ChunkReader<Second>, node: NodeRun) {
    self.first = JoinInput(first)
    self.second = JoinInput(second)
    self.node = node
  }

  @inlinable
  var reader: ChunkReader<(First, Second)> {
    ChunkReader(
      pull: { (out, limit) async throws(PortInterruption) in
        guard try await self.first.fill(limit), try await self.second.fill(limit) else {
          self.close()
          return false
        }
        let stamp = self.node.enter()
        pairUp(&self.first.chunk, &self.second.chunk, into: &out, limit: limit)
        var tally = NodeMeter.Tally()
        tally.elementsIn = out.count * 2
        tally.merged = out.count
        tally.elementsOut = out.count
        self.node.meter.record(tally, at: stamp)
        self.node.showTaps(out)
        return true
      },
      close: { self.close() })
  }

  @inlinable
  func close() {
    first.close()
    second.close()
  }
}

/// Pairs what is there, first with first; a pair's token settles both.
@inlinable
func pairUp<First: Sendable, Second: Sendable>(
  _ first: inout Chunk<First>, _ second: inout Chunk<Second>, into out: inout Chunk<(First, Second)>, limit: Int
) {
  if first.hasTokens || second.hasTokens { return pairUpTracked(&first, &second, into: &out, limit: limit) }
  let pairs = Swift.min(limit &- out.count, Swift.min(first.count, second.count))
  out.reserve(pairs)
  var (ones, others, tail) = (ChunkHead(of: first), ChunkHead(of: second), ChunkTail(of: &out))
  while tail.added < pairs, let one = ones.popFirst(), let other = others.popFirst() { tail.append((one, other)) }
  ones.putBack(into: &first)
  others.putBack(into: &second)
  tail.putBack(into: &out)
}

@usableFromInline
func pairUpTracked<First: Sendable, Second: Sendable>(
  _ first: inout Chunk<First>, _ second: inout Chunk<Second>, into out: inout Chunk<(First, Second)>, limit: Int
) {
  while out.count < limit, !first.isEmpty, !second.isEmpty {
    guard let (one, oneToken) = first.popFirstTracked(), let (other, otherToken) = second.popFirstTracked() else {
      break
    }
    out.append((one, other), token: Settlement.merging([oneToken, otherToken].compactMap { $0 }))
  }
}

/// Two inputs in order become one in order. Confined to the task that drives it.
final class SortedMergeState<Element: Sendable>: Sendable {
  private let first: JoinInput<Element>
  private let second: JoinInput<Element>
  private let precedes: @Sendable (Element, Element) -> Bool
  private let node: NodeRun

  init(
    _ first: ChunkReader<Element>, _ second: ChunkReader<Element>,
    by precedes: @escaping @Sendable (Element, Element) -> Bool, node: NodeRun
  ) {
    self.first = JoinInput(first)
    self.second = JoinInput(second)
    self.precedes = precedes
    self.node = node
  }

  var reader: ChunkReader<Element> {
    ChunkReader(
      pull: { (out, limit) async throws(PortInterruption) in
        let one = try await self.first.fill(limit)
        let other = try await self.second.fill(limit)
        guard one || other else { return false }
        while out.count < limit, let next = self.smaller() {
          guard let (element, token) = next.chunk.popFirstTracked() else { break }
          out.append(element, token: token)
        }
        self.node.pass(out.count)
        self.node.showTaps(out)
        return true
      },
      close: {
        self.first.close()
        self.second.close()
      })
  }

  /// The input whose first element leaves next; nil when an input that has not ended has none.
  private func smaller() -> JoinInput<Element>? {
    guard let one = first.chunk.first else { return first.ended && !second.chunk.isEmpty ? second : nil }
    guard let other = second.chunk.first else { return second.ended ? first : nil }
    return precedes(other, one) ? second : first
  }
}

/// A link for one run whose filling rings a bell, for joins that wait for any of several links.
func ringingLink<Element: Sendable>(
  _ link: LinkDescription, node: Int, _ make: @Sendable (Segment) -> ChunkReader<Element>, _ bell: Bell,
  for segment: Segment
) -> ReaderPort<Element> {
  let run = segment.runContext
  let ring: Link<Element> = run.makeLink(link, node: node)
  let upstream = run.newSegment()
  let reader = make(upstream)
  let writer = WriterPort(ring, segment: upstream)
  upstream.seal { await pumpRinging(reader, into: writer, bell: bell) }
  return ReaderPort(ring, segment: segment)
}

func pumpRinging<Element: Sendable>(
  _ reader: ChunkReader<Element>, into writer: WriterPort<Element>, bell: Bell
) async {
  let end = await drive(reader, limit: writer.segment.runContext.chunkSize) { (chunk) async -> Bool in
    while !chunk.isEmpty {
      // Ring for every part: a full link empties only if its reader knows.
      switch writer.link.offer(&chunk) {
      case .accepted: bell.ring()
      case .closed:
        return false
      case .full:
        bell.ring()
        writer.segment.enterBlocked()
        await writer.link.waitForRoom(weight: writer.link.weightOfFirst(chunk))
      }
    }
    return true
  }
  writer.finish(end)
  bell.ring()
}

/// Serves several links by priority. Confined to the task that drives it.
final class PriorityState<Element: Sendable>: @unchecked Sendable {
  // Safety: the variables are used only by the task that drives the segment; ports and bell are Sendable.
  private let inputs: [ReaderPort<Element>]
  private let bell: Bell
  private let share: Int
  private let node: NodeRun
  private var open: Set<Int>
  /// Chunks in a row from the input served last.
  private var run: (input: Int, chunks: Int) = (-1, 0)

  init(_ inputs: [ReaderPort<Element>], bell: Bell, share: Int, node: NodeRun) {
    self.inputs = inputs
    self.bell = bell
    self.share = share
    self.node = node
    open = Set(inputs.indices)
  }

  var reader: ChunkReader<Element> {
    ChunkReader(
      pull: { (out, limit) async throws(PortInterruption) in try await self.pull(&out, limit) },
      close: { for input in self.inputs { input.close() } })
  }

  private func pull(_ out: inout Chunk<Element>, _ limit: Int) async throws(PortInterruption) -> Bool {
    while true {
      for index in order() {
        switch inputs[index].take(into: &out, limit: limit) {
        case .taken:
          run = run.input == index ? (index, run.chunks + 1) : (index, 1)
          node.pass(out.count)
          node.showTaps(out)
          return true
        case .ended(let end):
          open.remove(index)
          _ = try inputs[index].link.finish(end)
        case .empty: continue
        }
      }
      if open.isEmpty { return false }
      if node.isCancelled { throw .cancelled }
      node.segment.enterIdle()
      await bell.wait()
    }
  }

  /// Inputs in the order in which they are looked at: by priority, but one that has had its share comes last.
  private func order() -> [Int] {
    let sorted = open.sorted()
    guard run.chunks >= share, let position = sorted.firstIndex(of: run.input) else { return sorted }
    run = (run.input, 0)
    return Array(sorted[(position + 1)...] + sorted[...position])
  }
}

/// What the inputs of a combineLatest send to it.
@frozen
@usableFromInline
enum LatestInput<First: Sendable, Second: Sendable>: Sendable {
  case first(First)
  case second(Second)
  case firstEnded
  case secondEnded
}

/// Keeps the latest of two inputs.
@frozen
@usableFromInline
struct CombineLatest<First: Sendable, Second: Sendable>: Stage {
  @usableFromInline var first: First?
  @usableFromInline var second: Second?
  @usableFromInline var over = false

  @inlinable
  init() {}

  @inlinable var demand: Int { over ? 0 : .max }

  @inlinable
  mutating func process(_ element: LatestInput<First, Second>, _ emit: ((First, Second)) -> Void) {
    switch element {
    case .first(let value): first = value
    case .second(let value): second = value
    case .firstEnded:
      over = first == nil
      return
    case .secondEnded:
      over = second == nil
      return
    }
    if let first, let second { emit((first, second)) }
  }
}

/// A task that tags what one input of a combineLatest has.
@inlinable
func tagged<Element: Sendable, Tagged: Sendable>(
  _ make: @Sendable (Segment) -> ChunkReader<Element>, _ run: RunContext, _ ring: Link<Tagged>,
  end mark: Tagged, _ tag: @escaping @Sendable (Element) -> Tagged
) {
  let segment = run.newSegment()
  let reader = make(segment)
  let writer = WriterPort(ring, segment: segment)
  segment.seal {
    let limit = segment.runContext.chunkSize
    var chunk = Chunk<Element>()
    var out = Chunk<Tagged>()
    let end = await drive(reader) { () async throws(PortInterruption) -> Bool in
      guard try await reader.pull(&chunk, limit) else {
        out.append(mark)
        _ = await writer.send(&out)
        return false
      }
      chunk.drain(into: &out, tag)
      guard await writer.send(&out) else { throw .cancelled }
      return true
    }
    writer.finish(end)
  }
}
