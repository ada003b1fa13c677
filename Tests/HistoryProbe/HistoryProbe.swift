import WeirHistory
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One process among several on one store, for tests that kill, stop or trace it. See ``ProbeArguments`` for what it does.
@main
enum HistoryProbe {
  static func main() async {
    do {
      let arguments = try ProbeArguments(CommandLine.arguments.dropFirst())
      switch arguments.command {
      case "write": try await ProbeWriter(arguments).run()
      case "follow": try await ProbeFollower(arguments).run()
      case "purge": try await purge(arguments)
      case "raw": try raw(arguments.path)
      default: throw ProbeError(ProbeArguments.usage)
      }
    } catch {
      say("failed \(error)")
      exit(1)
    }
  }

  /// Cleans again and again until its input ends; prints what is purged.
  private static func purge(_ arguments: ProbeArguments) async throws {
    let history = try await ProbeStore.open(arguments)
    say("ready")
    let isOver = inputEnd()
    var last: Int64 = 0
    while !isOver.hasEnded {
      let cleaning = try await history.clean()
      if cleaning.purgedThrough > last { say("purged \(cleaning.purgedThrough)") }
      last = cleaning.purgedThrough
      try await Task.sleep(for: .milliseconds(5))
    }
    await history.close()
  }

  /// Runs each line of its input as statements, as a program that knows nothing of the history.
  private static func raw(_ path: String) throws {
    let connection = try Connection(path: path, options: ConnectionOptions(access: .readWrite))
    say("ready")
    while let line = readLine() {
      do throws(StoreError) {
        try connection.execute(line)
        say("done")
      } catch {
        say("refused \(error)")
      }
    }
    connection.close()
  }
}

struct ProbeError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Prints past any buffer, since the process may be killed at the next instruction.
func say(_ text: String) {
  let line = Array((text + "\n").utf8)
  _ = write(1, line, line.count)
}

/// Ends the process as a crash does: nothing is put in order.
func die() -> Never {
  kill(getpid(), SIGKILL)
  exit(9)
}
