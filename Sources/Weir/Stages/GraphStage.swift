/// What can stand between two ports of a graph: ``Stage``, ``TimedStage``, ``AsyncStage``, ``AsyncChunkStage`` and
/// ``Process`` all are.
///
/// Conform to one of those; this protocol is what lets one `via` take them all.
public protocol GraphStage<Input, Output>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable

  /// Adds a node for this stage behind an outlet. Called by ``Outlet/via(_:_:limit:supervision:file:line:)``.
  func attach(to outlet: consuming Outlet<Input>, as placement: NodePlacement) -> Outlet<Output>
}

/// Where and how a stage is put into a graph.
@frozen
public struct NodePlacement: Sendable {
  /// Name of the node.
  public let name: String
  /// Limit of the link that the node needs, if it needs one.
  public let limit: LinkLimit
  /// What happens when the stage throws.
  public let supervision: Supervision
  /// Where in the user's code the node stands.
  public let location: SourceLocation

  @usableFromInline
  init(name: String, limit: LinkLimit, supervision: Supervision, location: SourceLocation) {
    self.name = name
    self.limit = limit
    self.supervision = supervision
    self.location = location
  }
}

extension Outlet {
  /// Passes elements through a stage.
  ///
  /// A ``Stage`` works in the task of the node before it. A ``TimedStage`` needs a link in front of it, so that it can
  /// wait for input and for time at once: where the port is not one already, a boundary is made. An ``AsyncStage``,
  /// ``AsyncChunkStage`` or ``Process`` hands its results to a link, so that nothing that is ready waits for a slow call.
  ///
  /// Emits and finishes as the stage's own documentation says; waits when downstream does; cancels upstream when
  /// downstream leaves. Memory: one chunk of input and one of output, the link if there is one, and what the stage holds.
  /// - Parameters:
  ///   - limit: limit of the link, for stages that need one.
  ///   - supervision: what happens when the stage throws. A process always fails.
  @inlinable
  public consuming func via<S: GraphStage>(
    _ name: String, _ stage: S, limit: LinkLimit = .standard, supervision: Supervision = .fail,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<S.Output> where S.Input == Element {
    let placement = NodePlacement(
      name: name, limit: limit, supervision: supervision, location: SourceLocation(file, line))
    return stage.attach(to: self, as: placement)
  }
}
