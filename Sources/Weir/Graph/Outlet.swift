/// The output of a node that has not been wired yet: a port that can be used exactly once.
///
/// Wiring one twice does not compile; one that is never wired is a fault of the blueprint.
@frozen
public struct Outlet<Element: Sendable>: ~Copyable {
  @usableFromInline let builder: GraphBuilder
  @usableFromInline let port: Int
  /// The link on the way to the next node; nil while both share a task.
  @usableFromInline let link: LinkDescription?
  /// Makes the reading end for one run, inside the segment that will drive it.
  @usableFromInline let make: @Sendable (SegmentScope) -> ChunkReader<Element>
  /// The same as a port, where the reading end is that of a link.
  @usableFromInline let makePort: (@Sendable (SegmentScope) -> ReaderPort<Element>)?

  /// An outlet in the task of its node.
  @inlinable
  init(
    _ builder: GraphBuilder, _ node: Int, leg: String? = nil, _ location: SourceLocation,
    make: @escaping @Sendable (SegmentScope) -> ChunkReader<Element>
  ) {
    self.builder = builder
    let port = builder.openPort(node, leg: leg, location)
    self.port = port
    link = nil
    self.make = { scope in
      let reader = make(scope)
      return scope.runContext.leavesCycle(port) ? reader.leavingCycle() : reader
    }
    makePort = nil
  }

  /// An outlet at the reading end of a link.
  @inlinable
  init(
    _ builder: GraphBuilder, _ node: Int, leg: String? = nil, _ location: SourceLocation, link: LinkDescription,
    makePort: @escaping @Sendable (SegmentScope) -> ReaderPort<Element>
  ) {
    self.builder = builder
    let port = builder.openPort(node, leg: leg, location)
    self.port = port
    self.link = link
    let makePort: @Sendable (SegmentScope) -> ReaderPort<Element> = { scope in
      let reader = makePort(scope)
      if scope.runContext.leavesCycle(port) { reader.leaveCycle() }
      return reader
    }
    make = { makePort($0).reader }
    self.makePort = makePort
  }

  /// Wires this port to a node.
  @inlinable
  func connect(to node: Int, in graph: GraphBuilder? = nil) {
    (graph ?? builder).connect(
      port, of: builder, to: node, element: Element.self, stride: MemoryLayout<Element>.stride, link: link)
  }
}
