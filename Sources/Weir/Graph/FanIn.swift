extension GraphBuilder {
  /// Merges two ports: elements leave in the order in which they come.
  ///
  /// Each input gets a task of its own. Emits whatever is there; the inputs wait while the link is full; finishes when
  /// all inputs have; fails with the first that fails, after what came before; cancels the inputs when downstream
  /// leaves. Memory: one link.
  @inlinable
  public func merge<Element: Sendable>(
    _ name: String, _ first: consuming Outlet<Element>, _ second: consuming Outlet<Element>,
    limit: LinkLimit = .standard, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let draft = MergeDraft<Element>(self, name, count: 2, limit: limit, SourceLocation(file, line))
    draft.add(first)
    draft.add(second)
    return draft.outlet()
  }

  /// Merges three ports, as ``merge(_:_:_:limit:file:line:)``.
  @inlinable
  public func merge<Element: Sendable>(
    _ name: String, _ first: consuming Outlet<Element>, _ second: consuming Outlet<Element>,
    _ third: consuming Outlet<Element>, limit: LinkLimit = .standard, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let draft = MergeDraft<Element>(self, name, count: 3, limit: limit, SourceLocation(file, line))
    draft.add(first)
    draft.add(second)
    draft.add(third)
    return draft.outlet()
  }

  /// Merges any number of ports; `input` is called once for each.
  @inlinable
  public func merge<Element: Sendable>(
    _ name: String, _ count: Int, limit: LinkLimit = .standard, file: StaticString = #fileID, line: UInt = #line,
    _ input: (Int) throws -> Outlet<Element>
  ) rethrows -> Outlet<Element> {
    let draft = MergeDraft<Element>(self, name, count: count, limit: limit, SourceLocation(file, line))
    for index in 0..<max(0, count) { draft.add(try input(index)) }
    return draft.outlet()
  }

  /// Merges ports by priority: what waits on an earlier input leaves before anything of a later one.
  ///
  /// So that a busy input cannot shut a later one out, after `share` chunks of one input the next that has something
  /// gets a turn. Otherwise as ``merge(_:_:_:limit:file:line:)``, with one link for each input.
  /// - Parameters:
  ///   - input: called once for each input, highest priority first.
  public func prioritizedMerge<Element: Sendable>(
    _ name: String, _ count: Int, share: Int = 16, limit: LinkLimit = .standard, file: StaticString = #fileID,
    line: UInt = #line, _ input: (Int) throws -> Outlet<Element>
  ) rethrows -> Outlet<Element> {
    let draft = PriorityDraft<Element>(
      self, name, count: count, share: share, limit: limit, SourceLocation(file, line))
    for index in 0..<max(0, count) { draft.add(try input(index)) }
    return draft.outlet()
  }

  /// Merges two ports, the first one first; see ``prioritizedMerge(_:_:share:limit:file:line:_:)``.
  public func prioritizedMerge<Element: Sendable>(
    _ name: String, _ first: consuming Outlet<Element>, _ second: consuming Outlet<Element>, share: Int = 16,
    limit: LinkLimit = .standard, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let draft = PriorityDraft<Element>(self, name, count: 2, share: share, limit: limit, SourceLocation(file, line))
    draft.add(first)
    draft.add(second)
    return draft.outlet()
  }

  /// All of the first port, then all of the second.
  ///
  /// Emits as the port whose turn it is does; a later port waits until its turn; finishes after the last; a failure
  /// ends it at once; cancels all inputs when downstream leaves. Memory: none of its own.
  @inlinable
  public func concat<Element: Sendable>(
    _ name: String, _ first: consuming Outlet<Element>, _ second: consuming Outlet<Element>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    let node = addNode(name, .fanIn, "concat", location, traits: NodeTraits(join: .inTurn))
    first.connect(to: node)
    second.connect(to: node)
    let makeFirst = first.make
    let makeSecond = second.make
    return Outlet(self, node, location) { segment in
      let inputs = [makeFirst(segment), makeSecond(segment)]
      return concatReader(inputs, node: segment.addNode(node))
    }
  }

  /// Merges ports that are each in order into one that is in order.
  ///
  /// Emits the smallest of the first waiting elements; waits until every input has one or has ended; equal elements
  /// leave in the order of the inputs; finishes when all inputs have; a failure ends it at once; cancels all inputs when
  /// downstream leaves. Memory: one chunk for each input.
  public func sortedMerge<Element: Sendable>(
    _ name: String, _ first: consuming Outlet<Element>, _ second: consuming Outlet<Element>,
    by precedes: @escaping @Sendable (Element, Element) -> Bool, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    let node = addNode(name, .fanIn, "sorted merge", location, traits: NodeTraits(join: .waitsForOne))
    first.connect(to: node)
    second.connect(to: node)
    let makeFirst = first.make
    let makeSecond = second.make
    return Outlet(self, node, location) { segment in
      let first = makeFirst(segment)
      let second = makeSecond(segment)
      return SortedMergeState(first, second, by: precedes, node: segment.addNode(node)).reader
    }
  }

  /// Pairs the elements of two ports, first with first.
  ///
  /// Emits when both inputs have an element; finishes with the input that ends first, and cancels the other; a failure
  /// ends it at once. Memory: one chunk for each input.
  @inlinable
  public func zip<First: Sendable, Second: Sendable>(
    _ name: String, _ first: consuming Outlet<First>, _ second: consuming Outlet<Second>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<(First, Second)> {
    let location = SourceLocation(file, line)
    let node = addNode(name, .fanIn, "zip", location, traits: NodeTraits(join: .pairs))
    first.connect(to: node)
    second.connect(to: node)
    let makeFirst = first.make
    let makeSecond = second.make
    return Outlet(self, node, location) { segment in
      let first = makeFirst(segment)
      let second = makeSecond(segment)
      return ZipState(first, second, node: segment.addNode(node)).reader
    }
  }

  /// The latest elements of two ports, whenever either has a new one.
  ///
  /// Emits at every element once both inputs have had one; finishes when both inputs have, or when one ends without an
  /// element; a failure ends it, after what came before; cancels the inputs when downstream leaves. Memory: one link
  /// and the two latest elements.
  @inlinable
  public func combineLatest<First: Sendable, Second: Sendable>(
    _ name: String, _ first: consuming Outlet<First>, _ second: consuming Outlet<Second>, limit: LinkLimit = .standard,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<(First, Second)> {
    let location = SourceLocation(file, line)
    let node = addNode(name, .fanIn, "combine latest", location, holds: limit.holding(and: 2))
    first.connect(to: node)
    second.connect(to: node)
    let makeFirst = first.make
    let makeSecond = second.make
    let link = link("\(name).in", limit, "wait", written: false, location)
    return Outlet(self, node, location) { segment in
      let run = segment.runContext
      let ring: Link<LatestInput<First, Second>> = run.makeLink(link, node: node, writers: 2)
      tagged(makeFirst, run, ring, end: .firstEnded) { .first($0) }
      tagged(makeSecond, run, ring, end: .secondEnded) { .second($0) }
      let port = ReaderPort(ring, segment: segment)
      let stage = CombineLatest<First, Second>()
      return stageReader(port.reader, stage, supervision: .fail, node: segment.addNode(node))
    }
  }

  @usableFromInline
  func countFaults(_ count: Int) -> [String] {
    count > 0 ? [] : ["a join of \(count) ports has no input; give it 1 or more"]
  }
}

/// A merge whose inputs are being wired.
@usableFromInline
struct MergeDraft<Element: Sendable> {
  @usableFromInline
  final class Inputs {
    @usableFromInline var makes: [@Sendable (Segment) -> ChunkReader<Element>] = []

    @inlinable
    init() {}
  }

  @usableFromInline let builder: GraphBuilder
  @usableFromInline let node: Int
  @usableFromInline let name: String
  @usableFromInline let link: LinkDescription
  @usableFromInline let location: SourceLocation
  @usableFromInline let inputs = Inputs()

  @inlinable
  init(_ builder: GraphBuilder, _ name: String, count: Int, limit: LinkLimit, _ location: SourceLocation) {
    self.builder = builder
    self.name = name
    self.location = location
    node = builder.addNode(name, .fanIn, "merge", location, faults: builder.countFaults(count))
    link = builder.link(name, limit, "wait", written: false, location)
  }

  @inlinable
  func add(_ outlet: consuming Outlet<Element>) {
    outlet.connect(to: node, in: builder)
    inputs.makes.append(outlet.make)
  }

  @inlinable
  func outlet() -> Outlet<Element> {
    let (node, link, makes) = (node, link, inputs.makes)
    return Outlet(builder, node, location, link: link) { segment in
      let run = segment.runContext
      let ring: Link<Element> = run.makeLink(link, node: node, writers: max(1, makes.count))
      for make in makes {
        let upstream = run.newSegment()
        let reader = make(upstream)
        let counter = upstream.addNode(node)
        let writer = WriterPort(ring, segment: upstream)
        upstream.seal(Pump(reader, into: writer, counter: counter))
      }
      return ReaderPort(ring, segment: segment)
    }
  }
}

/// A prioritised merge whose inputs are being wired, highest priority first.
struct PriorityDraft<Element: Sendable> {
  private final class Inputs {
    var makes: [@Sendable (Segment, Bell) -> ReaderPort<Element>] = []
  }

  private let builder: GraphBuilder
  private let node: Int
  private let name: String
  private let share: Int
  private let limit: LinkLimit
  private let location: SourceLocation
  private let inputs = Inputs()

  init(
    _ builder: GraphBuilder, _ name: String, count: Int, share: Int, limit: LinkLimit, _ location: SourceLocation
  ) {
    self.builder = builder
    self.name = name
    self.share = share
    self.limit = limit
    self.location = location
    let faults = share > 0 ? [] : ["a share of \(share) chunks is none; use 1 or more"]
    node = builder.addNode(
      name, .fanIn, "prioritized merge", location, holds: limit.holding(count),
      faults: faults + builder.countFaults(count))
  }

  func add(_ outlet: consuming Outlet<Element>) {
    let link = builder.link("\(name).\(inputs.makes.count)", limit, "wait", written: false, location)
    outlet.connect(to: node, in: builder)
    let (node, make) = (node, outlet.make)
    inputs.makes.append { segment, bell in ringingLink(link, node: node, make, bell, for: segment) }
  }

  func outlet() -> Outlet<Element> {
    let (node, share, makes) = (node, max(1, share), inputs.makes)
    return Outlet(builder, node, location) { segment in
      let bell = Bell()
      segment.addCloser { bell.ring() }
      let ports = makes.map { $0(segment, bell) }
      return PriorityState(ports, bell: bell, share: share, node: segment.addNode(node)).reader
    }
  }
}
