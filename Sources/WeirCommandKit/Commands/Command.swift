/// A command of the program.
public protocol Command: Sendable {
  /// Its place in help and its options.
  static var description: CommandDescription { get }

  /// Does the work. Its task is cancelled when the user asks to stop; it then finishes what it accepted and throws
  /// `CancellationError`. Errors that are a ``CommandError`` are reported to the user; any other is an internal fault.
  static func run(_ arguments: ParsedArguments) async throws -> ExitCode
}
