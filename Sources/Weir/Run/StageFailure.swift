/// The one error that travels through a graph: which node failed, and why.
public struct StageFailure: Error, Sendable, CustomStringConvertible {
  /// Stable code for scripts and switch statements: always `"stage-failed"` unless the cause has a `code` of its own.
  public var code: String { (cause as? any CodedError)?.code ?? "stage-failed" }
  /// Name of the node that failed, as written in the blueprint.
  public var node: String { content.node }
  /// What the node threw.
  public var cause: any Error { content.cause }

  /// One reference: whatever may end in a failure has a place for it, and most never fail.
  private let content: Content

  private final class Content: Sendable {
    let node: String
    let cause: any Error

    init(node: String, cause: any Error) {
      self.node = node
      self.cause = cause
    }
  }

  @usableFromInline
  init(node: String, cause: any Error) { content = Content(node: node, cause: cause) }

  public var description: String { "node \"\(node)\" failed: \(cause)" }
}

/// An error with a code that stays the same from release to release, whatever its text says.
public protocol CodedError: Error {
  /// The code, in lower case with hyphens.
  var code: String { get }
}

/// How the end of a link or port came about, other than by finishing.
@frozen
public enum PortInterruption: Error, Sendable {
  /// A node upstream failed; the elements it emitted before have been delivered.
  case failed(StageFailure)
  /// The run was aborted or cancelled; elements under way were abandoned.
  case cancelled
}

/// The end of a link's writing side.
@frozen
@usableFromInline
enum LinkEnd: Sendable {
  case finished
  case failed(StageFailure)
  case cancelled
}
