/// An error that can end a command: a stable code, what went wrong, what to do, and the exit code it maps to.
public protocol CommandError: Error, Sendable, CustomStringConvertible {
  /// Stable and machine readable, such as `input.missing`; never shown without ``message``.
  var code: String { get }
  /// What went wrong, in one sentence without a full stop; safe to print on a terminal.
  var message: String { get }
  /// What the user can do about it, if anything.
  var remedy: String? { get }
  /// How a command that meets this error ends.
  var exitCode: ExitCode { get }
}

extension CommandError {
  /// The message, then the remedy on its own line.
  public var description: String {
    guard let remedy else { return message }
    return "\(message)\n\(remedy)"
  }

  /// What the command prints on standard error: `weir: <message> [code]`, then the remedy on its own line.
  public func report(program: String = "weir") -> String {
    let first = "\(program): \(message) [\(code)]\n"
    guard let remedy else { return first }
    return first + remedy + "\n"
  }
}
