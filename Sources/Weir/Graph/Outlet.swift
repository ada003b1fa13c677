/// The output of a node that has not been wired yet: a port that can be used exactly once.
///
/// Wiring one twice does not compile; one that is never wired is a fault of the blueprint.
@frozen
public struct Outlet<Element: Sendable>: ~Copyable {
  @usableFromInline let builder: GraphBuilder
  @usableFromInline let port: Int
  /// The link on the way to the next node; nil while both share a task.
  @usableFromInline let link: LinkDescription?
  @usableFromInline let source: Source

  /// What makes the reading end for one run, inside the segment that will drive it.
  @frozen
  @usableFromInline
  enum Source: Sendable {
    case reader(@Sendable (Segment) -> ChunkReader<Element>)
    /// The reading end of a link.
    case port(@Sendable (Segment) -> ReaderPort<Element>)
  }

  /// An outlet in the task of its node.
  @inlinable
  init(
    _ builder: GraphBuilder, _ node: Int, leg: String? = nil, _ location: SourceLocation,
    make: @escaping @Sendable (Segment) -> ChunkReader<Element>
  ) {
    self.builder = builder
    port = builder.openPort(node, leg: leg, location)
    link = nil
    source = .reader(make)
  }

  /// An outlet at the reading end of a link.
  @inlinable
  init(
    _ builder: GraphBuilder, _ node: Int, leg: String? = nil, _ location: SourceLocation, link: LinkDescription,
    makePort: @escaping @Sendable (Segment) -> ReaderPort<Element>
  ) {
    self.builder = builder
    port = builder.openPort(node, leg: leg, location)
    self.link = link
    source = .port(makePort)
  }

  /// Makes the reading end for one run.
  @inlinable var make: @Sendable (Segment) -> ChunkReader<Element> {
    let port = port
    switch source {
    case .reader(let make):
      return { segment in
        let reader = make(segment)
        return segment.runContext.leavesCycle(port) ? reader.leavingCycle() : reader
      }
    case .port(let make):
      return { leavingCycle(make($0), port).reader }
    }
  }

  /// The same as a port, where the reading end is that of a link.
  @inlinable var makePort: (@Sendable (Segment) -> ReaderPort<Element>)? {
    guard case .port(let make) = source else { return nil }
    let port = port
    return { leavingCycle(make($0), port) }
  }

  /// Wires this port to a node.
  @inlinable
  func connect(to node: Int, in graph: GraphBuilder? = nil) {
    (graph ?? builder).connect(
      port, of: builder, to: node, element: Element.self, stride: MemoryLayout<Element>.stride, link: link)
  }
}

/// Tells a reading end when elements leave a cycle there.
@inlinable
func leavingCycle<Element: Sendable>(_ reader: ReaderPort<Element>, _ port: Int) -> ReaderPort<Element> {
  if reader.segment.runContext.leavesCycle(port) { reader.leaveCycle() }
  return reader
}
