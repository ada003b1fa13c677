/// What a node does, as diagrams and snapshots show it.
public enum NodeKind: String, Sendable, Hashable, CaseIterable {
  /// Brings elements into the graph.
  case source
  /// A synchronous stage.
  case stage
  /// A stage that also acts by time.
  case timed
  /// A stage that may suspend.
  case asynchronous
  /// A step with a life of its own.
  case process
  /// A link that the user wrote.
  case boundary
  /// One input, several outputs.
  case fanOut
  /// Several inputs, one output.
  case fanIn
  /// Ends the way of elements.
  case sink
  /// Closes a cycle.
  case feedback
  /// A place that can be ended from outside.
  case killSwitch
  /// Follows elements until they have settled.
  case tracker
}

/// Where in the user's code a node stands.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  /// Kept as it stands in the program: a text of its own would cost each node an allocation.
  private let fileID: StaticString
  /// The line, from 1.
  public let line: UInt

  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    fileID = file
    self.line = line
  }

  /// The file, as `#fileID` gives it.
  public var file: String { "\(fileID)" }

  public var description: String { "\(file):\(line)" }

  public static func == (left: SourceLocation, right: SourceLocation) -> Bool {
    left.line == right.line && left.file == right.file
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(line)
  }
}

/// One node of a blueprint.
public struct NodeDescription: Sendable, Hashable {
  /// Unique in the blueprint.
  public let name: String
  /// What the node does.
  public let kind: NodeKind
  /// The type of the stage, or the operation.
  public let operation: String
  /// Where it stands in the user's code.
  public let location: SourceLocation
  /// Number of tasks that run the node.
  public let tasks: Int
  /// Most elements the node itself may hold, beyond the chunk it works on; nil where it has no bound.
  public let holds: Int?
}

/// One connection of a blueprint.
public struct EdgeDescription: Sendable, Hashable {
  /// Index of the node the elements leave, in the blueprint's nodes.
  public let from: Int
  /// Index of the node they enter.
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
  public var name: String { content.name }
  /// How much may wait in it.
  public var limit: LinkLimit { content.limit }
  /// Overflow policy in one word.
  public var policy: String { content.policy }
  /// Whether the user wrote the boundary, rather than a node needing it.
  public var isWritten: Bool { content.isWritten }

  /// One reference: the edge and what sets up its runs share it.
  private let content: Content

  private final class Content: Sendable {
    let name: String
    let limit: LinkLimit
    let policy: String
    let isWritten: Bool

    init(name: String, limit: LinkLimit, policy: String, isWritten: Bool) {
      self.name = name
      self.limit = limit
      self.policy = policy
      self.isWritten = isWritten
    }
  }

  @usableFromInline
  init(name: String, limit: LinkLimit, policy: String, isWritten: Bool) {
    content = Content(name: name, limit: limit, policy: policy, isWritten: isWritten)
  }

  public static func == (left: LinkDescription, right: LinkDescription) -> Bool {
    left.name == right.name && left.limit == right.limit && left.policy == right.policy
      && left.isWritten == right.isWritten
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(limit)
    hasher.combine(policy)
    hasher.combine(isWritten)
  }
}
