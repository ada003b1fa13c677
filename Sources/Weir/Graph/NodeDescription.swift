/// What a node does, as diagrams and snapshots show it.
public enum NodeKind: String, Sendable, Hashable, CaseIterable {
  case source, stage, timed, asynchronous, process, boundary, fanOut, fanIn, sink, feedback, killSwitch, tracker
}

/// Where in the user's code a node stands.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  public let file: String
  public let line: UInt

  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    self.file = "\(file)"
    self.line = line
  }

  public var description: String { "\(file):\(line)" }
}

/// One node of a blueprint.
public struct NodeDescription: Sendable, Hashable {
  /// Unique in the blueprint.
  public let name: String
  public let kind: NodeKind
  /// The type of the stage, or the operation.
  public let operation: String
  public let location: SourceLocation
  /// Number of tasks that run the node.
  public let tasks: Int
  /// Most elements the node itself may hold, beyond the chunk it works on; nil where it has no bound.
  public let holds: Int?
}

/// One connection of a blueprint.
public struct EdgeDescription: Sendable, Hashable {
  /// Indices into the blueprint's nodes.
  public let from: Int
  public let to: Int
  /// Name of the leg, where the node has several.
  public let leg: String?
  /// The type of the elements.
  public let element: String
  /// Bytes an element takes in a chunk.
  public let stride: Int
  /// The link between the two tasks; nil where both nodes run in one task.
  public let link: LinkDescription?
}

/// A link of a blueprint: what a boundary says about itself.
public struct LinkDescription: Sendable, Hashable {
  /// Name of the boundary, or of the node that writes into it.
  public let name: String
  public let limit: LinkLimit
  /// Overflow policy in one word.
  public let policy: String
  /// Whether the user wrote the boundary, rather than a node needing it.
  public let isWritten: Bool

  @usableFromInline
  init(name: String, limit: LinkLimit, policy: String, isWritten: Bool) {
    self.name = name
    self.limit = limit
    self.policy = policy
    self.isWritten = isWritten
  }
}
