import InboxScreen
import Weir
import WeirChat
import WeirCommandKit
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Shows the conversations and messages of a store while another process, such as `weir replay`, writes it.
///
///     InboxBrowser STORE          a live screen
///     InboxBrowser STORE --once   one screen, printed
///
/// A reader of a store that nobody has open makes a log beside it. Where the folder cannot be written, one screen is read
/// without.
@main
struct InboxBrowser {
  nonisolated static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first, !path.hasPrefix("-"), arguments.dropFirst().allSatisfy({ $0 == "--once" }) else {
      fail("usage: InboxBrowser STORE [--once]", .usage)
    }
    do {
      let isFixed = !canBeWritten(folderOf: path)
      if isFixed, !arguments.contains("--once"), access(path + "-shm", F_OK) != 0 {
        fail(
          "InboxBrowser: the folder of \(path) cannot be written, and no process has the store open to be followed; "
            + "--once shows it as it stands", .noInput)
      }
      let store = try await ProjectionFollower.open(path: path, leavesNoTrace: isFixed)
      if arguments.contains("--once") {
        try await printOnce(store)
      } else {
        guard let terminal = Terminal() else { fail("InboxBrowser needs a terminal; or use --once", .usage) }
        defer { terminal.restore() }
        try await browse(store)
      }
      try await store.close()
    } catch {
      fail("InboxBrowser: \(error)", .noInput)
    }
  }

  private static func canBeWritten(folderOf path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return access(folder, W_OK) == 0
  }

  private static func printOnce(_ store: ProjectionFollower) async throws {
    var model = InboxModel(columns: Terminal.size.columns, rows: Terminal.size.rows)
    _ = model.take(.page(try await page(store, selecting: nil).value))
    let isTerminal = isatty(STDOUT_FILENO) == 1
    for line in InboxScreen.lines(model) { print(isTerminal ? line.ansi : line.text) }
  }

  /// Hints of the other process's commits, a page that is queried when they touch it, keys and signals: all one stream of
  /// input, which changes the model, which is drawn.
  private static func browse(_ store: ProjectionFollower) async throws {
    let hub = EventHub()
    let selection = Selection()
    let quit = Request<Void>()
    let interest = Interest([.conversations, .totals])
    let refine: @Sendable (InboxPage) -> Interest = { Interest(Set($0.selected.map { [.messages(in: $0)] } ?? [])) }
    let pages = ObservedQuery<InboxPage, StoreError>(
      hub, interest: interest, refine: refine, atMostEvery: .milliseconds(50)
    ) { () async throws(StoreError) in try await page(store, selecting: selection.wish) }
    let blueprint = try Blueprint("browser") { graph in
      let shown = graph.source("pages", of: InboxModel.Input.self) { output in
        var answers = pages.makeAsyncIterator()
        repeat {
          do {
            guard let page = try await answers.next() else { return }
            guard await output.send(.page(page.value)) else { return }
          } catch let error as StoreError where error.isRetryable {
            // It may pass: the screen says what it is, and the next call asks again.
            guard await output.send(.trouble("\(error)")) else { return }
            try await Task.sleep(for: .seconds(1))
          }
        } while !Task.isCancelled
      }
      let typed = graph.callbackSource("terminal", of: InboxModel.Input.self, TerminalInput.register)
      graph.merge("input", shown, typed).sink("screen", Drawing(hub: hub, selection: selection, quit: quit))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await store.follow(into: hub) }
      group.addTask {
        try await blueprint.run { live in
          _ = await quit.wait()
          live.abort()
        }
      }
      defer { group.cancelAll() }
      // Whichever ends first ends the program: the user quits, or the store cannot be read any more.
      try await group.next()
    }
  }

  private static func page(
    _ store: ProjectionFollower, selecting wish: String?
  ) async throws(StoreError) -> Snapshot<InboxPage> {
    try await store.snapshot { (view) throws(StoreError) in try InboxPage(view, selecting: wish) }
  }

  private static func fail(_ words: String, _ code: ExitCode) -> Never {
    let bytes = Array("\(words)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
    exit(code.rawValue)
  }
}
