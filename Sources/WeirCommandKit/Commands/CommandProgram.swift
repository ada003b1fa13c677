/// A program made of commands: it understands the command line, prints help, runs the command and ends with its code.
public struct CommandProgram: Sendable {
  private let root: CommandDescription
  private let commands: [any Command.Type]
  private let version: String
  private let libraries: [String]

  /// A program. `summary` and `discussion` open its help page; `libraries` are the lines that `--version` adds.
  public init(
    name: String, version: String, libraries: [String] = [], summary: String, discussion: [String] = [],
    examples: [(line: String, summary: String)] = [], commands: [any Command.Type]
  ) {
    self.version = version
    self.libraries = libraries
    self.commands = commands
    root = CommandDescription(
      name: name, summary: summary, discussion: discussion, examples: examples,
      subcommands: commands.map { $0.description })
  }

  /// The help page of the command at `path`.
  public func help(for path: [String] = []) -> String { HelpPage(root, version: version).text(for: path) }

  /// Runs a command line, given without the program's name, and returns the code to exit with.
  ///
  /// The first SIGINT or SIGTERM cancels the command, which finishes what it accepted; a further SIGINT ends the
  /// process at once.
  public func run(_ arguments: [String]) async -> ExitCode {
    ignoreBrokenPipes()
    ignoreFileSizeSignals()
    do {
      switch try ArgumentParser(root).parse(arguments) {
      case .help(let path): return try print(help(for: path))
      case .version: return try print(([root.name + " " + version] + libraries).map { $0 + "\n" }.joined())
      case .run(let parsed):
        guard let command = commands.first(where: { $0.description.name == parsed.path.first }) else {
          return .internalFault
        }
        return try await run(command, parsed)
      }
    } catch let error as any CommandError {
      if error.exitCode != .brokenPipe { complain(error.report(program: root.name)) }
      return error.exitCode
    } catch {
      complain("\(root.name): internal fault: \(printable("\(error)")) [internal]\n")
      return .internalFault
    }
  }

  private func run(_ command: any Command.Type, _ arguments: ParsedArguments) async throws -> ExitCode {
    let (requests, continuation) = AsyncStream.makeStream(of: InterruptSignal.self)
    // Listening before the work begins: a signal at any moment of it is heard.
    let interrupts = InterruptListener { continuation.yield($0) }
    defer { interrupts.stop() }
    do {
      return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
        group.addTask { try await command.run(arguments) }
        group.addTask {
          for await _ in requests { break }
          return nil
        }
        while let code = try await group.next() {
          // Either the work is done or it is asked to finish.
          group.cancelAll()
          if let code { return code }
        }
        return .internalFault
      }
    } catch  where error is CancellationError || error as? LineSourceError == .cancelled {
      return interrupts.received?.exitCode ?? .interrupted
    }
  }

  private func print(_ text: String) throws(OutputError) -> ExitCode {
    var output = OutputFile.standardOutput()
    try output.append(text)
    try output.flush()
    return .success
  }

  private func complain(_ text: String) {
    var bytes = Array(text.utf8)
    // Nobody is left to tell when standard error is closed.
    try? OpenFile(borrowing: 2).write(&bytes)
  }
}
