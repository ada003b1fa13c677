/// Two legs of a fan-out.
@frozen
public struct Fork<Element: Sendable>: ~Copyable {
  /// The first leg.
  public let first: Outlet<Element>
  /// The second leg.
  public let second: Outlet<Element>

  @inlinable
  init(first: consuming Outlet<Element>, second: consuming Outlet<Element>) {
    self.first = first
    self.second = second
  }
}

/// What a leg of a fan-out does when its consumer is slower than the others.
public struct Leg<Element: Sendable>: Sendable {
  /// Name of the leg in diagrams.
  public var name: String
  /// Limit of the leg's link.
  public var limit: LinkLimit
  /// `wait`: the slowest leg gates all; a dropping policy: only this leg loses, counted at its link.
  public var policy: OverflowPolicy<Element>

  /// A leg of a name, with the standard limit and backpressure unless said.
  public init(_ name: String, limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait) {
    self.name = name
    self.limit = limit
    self.policy = policy
  }
}

extension Outlet {
  /// Copies every element to two legs. Otherwise as ``broadcast(_:legs:file:line:_:)``.
  @inlinable
  public consuming func broadcast(
    _ name: String, first: Leg<Element> = Leg("first"), second: Leg<Element> = Leg("second"),
    file: StaticString = #fileID, line: UInt = #line
  ) -> Fork<Element> {
    let out = fanOut(name, "broadcast", [first, second], SourceLocation(file, line), copies: true, broadcastChunks)
    return Fork(first: out.outlet(0), second: out.outlet(1))
  }

  /// Copies every element to each leg.
  ///
  /// Emits to a leg whenever an element arrives; waits while any leg with the policy `wait` is full, so the slowest of
  /// them gates all; a leg that leaves is forgotten; finishes all legs when the input does; cancels upstream when every
  /// leg has left. Memory: one link for each leg.
  /// - Parameter wire: called once for each leg, to wire it.
  @inlinable
  public consuming func broadcast(
    _ name: String, legs: [Leg<Element>], file: StaticString = #fileID, line: UInt = #line,
    _ wire: (_ leg: String, consuming Outlet<Element>) throws -> Void
  ) rethrows {
    let out = fanOut(name, "broadcast", legs, SourceLocation(file, line), copies: true, broadcastChunks)
    for (index, leg) in legs.enumerated() { try wire(leg.name, out.outlet(index)) }
  }

  /// Gives each element to whichever leg is ready for it.
  ///
  /// Emits to a leg that asks; waits while none does and the shared link is full; a leg that leaves is forgotten;
  /// finishes all legs when the input does; cancels upstream when every leg has left. Order holds within a leg only.
  /// Memory: one link for all legs.
  /// - Parameters:
  ///   - atOnce: most elements a leg may take at a time; small numbers balance better, large ones cost less.
  @inlinable
  public consuming func balance(
    _ name: String, legs count: Int, limit: LinkLimit = .standard, atOnce: Int = 16,
    file: StaticString = #fileID, line: UInt = #line, _ wire: (_ leg: Int, consuming Outlet<Element>) throws -> Void
  ) rethrows {
    let location = SourceLocation(file, line)
    var faults: [String] = []
    faults += legFaults(count, "legs")
    if atOnce <= 0 { faults.append("\(atOnce) elements at once are none; use 1 or more") }
    let node = builder.addNode(
      name, .fanOut, "balance", location, traits: NodeTraits(isFanOut: true), faults: faults)
    connect(to: node)
    let link = builder.link(name, limit, "wait", written: false, location)
    let make = self.make
    let builder = self.builder
    let shared: @Sendable (Segment) -> Link<Element> = { segment in
      let run = segment.runContext
      return run.shared(node) {
        let ring: Link<Element> = run.makeLink(link, node: node, readers: count)
        let upstream = run.newSegment()
        let reader = make(upstream)
        let counter = upstream.addNode(node)
        let writer = WriterPort(ring, segment: upstream)
        upstream.seal(Pump(reader, into: writer, counter: counter))
        return ring
      }
    }
    for index in 0..<min(max(0, count), mostLegs) {
      let leg = Outlet(builder, node, leg: "\(index)", location, link: link) { segment in
        ReaderPort(shared(segment), segment: segment, most: max(1, atOnce))
      }
      try wire(index, leg)
    }
  }

  /// Sends each element to the leg of its case: exhaustive, since every case has a leg.
  @inlinable
  public consuming func route<Case: CaseIterable & Sendable & Hashable>(
    _ name: String, by key: @escaping @Sendable (Element) -> Case, limit: LinkLimit = .standard,
    file: StaticString = #fileID, line: UInt = #line, _ wire: (_ leg: Case, consuming Outlet<Element>) throws -> Void
  ) rethrows {
    try route(name, Array(Case.allCases), by: key, limit: limit, file: file, line: line, wire)
  }

  /// Sends each element to the leg of its key.
  ///
  /// Emits to one leg for each element; waits while that leg is full; an element whose key has no leg, or whose leg has
  /// left, is discarded and counted; finishes all legs when the input does; cancels upstream when every leg has left.
  /// Memory: one link for each leg.
  @inlinable
  public consuming func route<Key: Hashable & Sendable>(
    _ name: String, _ keys: [Key], by key: @escaping @Sendable (Element) -> Key, limit: LinkLimit = .standard,
    file: StaticString = #fileID, line: UInt = #line, _ wire: (_ leg: Key, consuming Outlet<Element>) throws -> Void
  ) rethrows {
    var index: [Key: Int] = [:]
    for (position, key) in keys.enumerated() { index[key] = index[key] ?? position }
    let table = index
    let legs = keys.map { Leg<Element>("\($0)", limit: limit) }
    var faults: [String] = []
    if keys.isEmpty { faults.append("a route without legs discards everything") }
    if table.count < keys.count { faults.append("two legs of the route have the same key") }
    let out = fanOut(name, "route", legs, SourceLocation(file, line), copies: false, faults: faults) {
      reader, writers, counter in
      await split(reader, to: writers, counter: counter) { table[key($0)] }
    }
    for (position, key) in keys.enumerated() { try wire(key, out.outlet(position)) }
  }

  /// Splits by key into a fixed number of lanes, each with its own copy of what `lane` builds, and merges their results.
  ///
  /// Order holds within a key; a slow key delays only its lane. The lane of a key is the same in every process.
  /// - Parameter lane: called once for each lane; node names must be made unique with the number it gets.
  @inlinable
  public consuming func lanes<Output: Sendable>(
    _ name: String, _ count: Int, by key: @escaping @Sendable (Element) -> String, limit: LinkLimit = .standard,
    file: StaticString = #fileID, line: UInt = #line,
    _ lane: (_ lane: Int, consuming Outlet<Element>) throws -> Outlet<Output>
  ) rethrows -> Outlet<Output> {
    let location = SourceLocation(file, line)
    let number = min(max(1, count), mostLegs)
    let legs = (0..<number).map { Leg<Element>("\($0)", limit: limit) }
    let faults = legFaults(count, "lanes")
    let out = fanOut(name, "lanes", legs, location, copies: false, faults: faults) { reader, writers, counter in
      await split(reader, to: writers, counter: counter) { Int(StableHash.hash(key($0)) % UInt64(number)) }
    }
    let builder = out.builder
    let merge = MergeDraft<Output>(builder, "\(name).merge", count: number, limit: limit, location)
    for index in 0..<number { merge.add(try lane(index, out.outlet(index))) }
    return merge.outlet()
  }

  // MARK: Inside

  @usableFromInline
  typealias FanOutBody = @Sendable (ChunkReader<Element>, [WriterPort<Element>], NodeRun) async -> Void

  @inlinable
  consuming func fanOut(
    _ name: String, _ operation: String, _ legs: [Leg<Element>], _ location: SourceLocation, copies: Bool,
    faults: [String] = [], _ body: @escaping FanOutBody
  ) -> FanOutDraft<Element> {
    let traits = NodeTraits(isFanOut: true, copiesToAll: copies)
    let none = legs.isEmpty ? ["\(operation) without legs; give it at least one"] : []
    let node = builder.addNode(name, .fanOut, operation, location, traits: traits, faults: faults + none)
    connect(to: node)
    let links = legs.map { builder.link("\(name).\($0.name)", $0.limit, $0.policy.name, written: false, location) }
    let make = self.make
    let rings: @Sendable (Segment) -> [Link<Element>] = { segment in
      let run = segment.runContext
      return run.shared(node) {
        let rings = zip(links, legs).map { run.makeLink($0, node: node, policy: $1.policy) }
        let upstream = run.newSegment()
        let reader = make(upstream)
        let counter = upstream.addNode(node)
        let writers = rings.map { WriterPort($0, segment: upstream) }
        upstream.seal { await body(reader, writers, counter) }
        return rings
      }
    }
    return FanOutDraft(
      builder: builder, node: node, location: location, legs: legs.map(\.name), links: links, rings: rings)
  }
}

/// Most legs or lanes of one node: each is a link and a task.
@usableFromInline let mostLegs = 1_024

@usableFromInline
func legFaults(_ count: Int, _ what: String) -> [String] {
  if count <= 0 { return ["\(count) \(what) can carry nothing; use 1 or more"] }
  return count > mostLegs ? ["\(count) \(what) are more than \(mostLegs)"] : []
}

/// A fan-out whose legs are being handed out.
@usableFromInline
struct FanOutDraft<Element: Sendable> {
  @usableFromInline let builder: GraphBuilder
  @usableFromInline let node: Int
  @usableFromInline let location: SourceLocation
  @usableFromInline let legs: [String]
  @usableFromInline let links: [LinkDescription]
  @usableFromInline let rings: @Sendable (Segment) -> [Link<Element>]

  @inlinable
  init(
    builder: GraphBuilder, node: Int, location: SourceLocation, legs: [String], links: [LinkDescription],
    rings: @escaping @Sendable (Segment) -> [Link<Element>]
  ) {
    self.builder = builder
    self.node = node
    self.location = location
    self.legs = legs
    self.links = links
    self.rings = rings
  }

  @inlinable
  func outlet(_ index: Int) -> Outlet<Element> {
    let rings = self.rings
    return Outlet(builder, node, leg: legs[index], location, link: links[index]) { segment in
      ReaderPort(rings(segment)[index], segment: segment)
    }
  }
}

/// Sends a copy of every chunk to each writer, until all have left.
///
/// Every leg is offered what it has room for before the task waits for one of them: a join behind two legs takes from one
/// only what it also gets from the other, however small or unequal their limits are.
@inlinable
nonisolated(nonsending) func broadcastChunks<Element: Sendable>(
  _ reader: ChunkReader<Element>, _ writers: [WriterPort<Element>], _ counter: NodeRun
) async {
  let parts = SplitChunks<Element>(count: writers.count)
  let end = await drive(reader, limit: counter.segment.runContext.chunkSize) { (chunk) async -> Bool in
    counter.pass(chunk.count)
    counter.showTaps(chunk)
    parts.copy(&chunk)
    while let blocked = parts.offerAll(to: writers) {
      counter.segment.enterBlocked()
      await parts.waitForRoom(blocked, of: writers[blocked])
    }
    return !parts.areAllClosed
  }
  for writer in writers { writer.finish(end) }
}
