import Foundation
import Testing
import WeirChat
import WeirCommandKit

/// The real program on a real terminal, beside the real replay.
@Suite("Inbox browser", .serialized) struct BrowserTests {
  private static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  private static let inbox = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples/Data/inbox.jsonl").path

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("weir-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var store: String { folder.appendingPathComponent("inbox.sqlite").path }

  /// Starts the replay of the first so many lines.
  private func replay(_ lines: Int, rate: Int? = nil) throws -> Process {
    // Bytes, since some of its lines are no text on purpose.
    let all = try Data(contentsOf: URL(fileURLWithPath: Self.inbox)).split(separator: 0x0a).prefix(lines)
    let file = folder.appendingPathComponent("\(lines).jsonl").path
    try Data((all.joined(separator: [0x0a]) + [0x0a])).write(to: URL(fileURLWithPath: file))
    let process = Process()
    process.executableURL = Self.programs.appendingPathComponent("weir")
    process.arguments = ["replay", file, "--store", store] + (rate.map { ["--rate", "\($0)"] } ?? [])
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    return process
  }

  private func browser(columns: UInt16 = 100, rows: UInt16 = 20) throws -> PseudoTerminal {
    try PseudoTerminal(
      Self.programs.appendingPathComponent("InboxBrowser").path, [store], columns: columns, rows: rows)
  }

  private func wait(for process: Process) async throws {
    while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
    #expect(process.terminationStatus == 0)
  }

  @Test("the screen moves while a replay runs in another process, follows the size, and q gives the terminal back")
  func live() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await wait(for: try replay(200))
    let terminal = try browser()
    #expect(terminal.isCooked)
    #expect(try await terminal.read { $0.contains("conversations") && $0.contains("unread") }, "\(terminal.output)")
    #expect(!terminal.isCooked && terminal.output.contains("\u{1b}[?1049h"))

    // Everything the replay stores comes to the screen by itself.
    terminal.forgetOutput()
    try await wait(for: try replay(3_000))
    let follower = try await ProjectionFollower.open(path: store)
    let totals = try await follower.totals().value
    try await follower.close()
    let header = "\(totals.conversations) conversations  \(totals.unread) unread"
    #expect(try await terminal.read { $0.contains(header) }, "\(header) is not on the screen")

    terminal.forgetOutput()
    terminal.resize(columns: 50, rows: 10)
    // What was on its way when the size changed may still come first.
    let follows = try await terminal.read { output in
      let drawn = output.components(separatedBy: "\u{1b}[2J").last ?? ""
      return drawn.contains("\u{1b}[10;1H") && !drawn.contains("\u{1b}[11;1H") && !drawn.contains("│")
    }
    #expect(follows, "the screen did not follow the size")

    // The messages of the first conversation, then of the next.
    terminal.forgetOutput()
    terminal.type("\t")
    #expect(try await terminal.read { $0.contains("\u{1b}[9;1H") })
    terminal.type("\u{1b}[D\u{1b}[B")
    terminal.type("q")
    #expect(try await terminal.status() == 0)
    #expect(terminal.isCooked && terminal.output.contains("\u{1b}[?1049l") && terminal.output.contains("\u{1b}[?25h"))
  }

  @Test("Ctrl-C, SIGTERM and a terminal that goes away end it cleanly", arguments: ["\u{3}", "TERM", "HUP"])
  func ends(by way: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await wait(for: try replay(100))
    let terminal = try browser()
    #expect(try await terminal.read { $0.contains("q quit") }, "\(terminal.output)")
    switch way {
    case "TERM": kill(try #require(terminal.program), SIGTERM)
    case "HUP": kill(try #require(terminal.program), SIGHUP)
    default: terminal.type(way)
    }
    #expect(try await terminal.status() == 0)
    #expect(terminal.isCooked && terminal.output.contains("\u{1b}[?1049l"))
  }

  @Test("without a terminal it prints one screen, and says what is wrong with a store that is not there")
  func once() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await wait(for: try replay(100))
    let screen = try await run([store, "--once"])
    let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(screen.code == 0 && lines.count == 25 && lines[24].isEmpty)
    #expect(lines.dropLast().allSatisfy { DisplayWidth.of(String($0)) == 80 } && !screen.text.contains("\u{1b}"))
    #expect(screen.text.contains("conversations"))
    let missing = try await run([folder.appendingPathComponent("none").path, "--once"])
    #expect(missing.code == ExitCode.noInput.rawValue && missing.text.contains("store.cannot-open"))
    #expect(try await run([]).code == ExitCode.usage.rawValue)
    #expect(try await run([store]).text.contains("needs a terminal"))
  }

  @Test("in a folder that cannot be written a store is shown once without leaving anything, and is not followed")
  func unwritable() async throws {
    defer {
      chmod(folder.path, 0o755)
      try? FileManager.default.removeItem(at: folder)
    }
    try await wait(for: try replay(100))
    // The administrator may write everywhere: then the program runs as nobody.
    let nobody = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    if let program = nobody.first, access(program, X_OK) != 0 { return }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(!before.contains { $0.hasSuffix("-shm") })
    chmod(folder.path, 0o555)
    let screen = try await run([store, "--once"], through: nobody)
    #expect(screen.code == 0 && screen.text.contains("conversations"), "\(screen.text)")
    let live = try await run([store], through: nobody)
    #expect(live.code == ExitCode.noInput.rawValue && live.text.contains("--once shows it as it stands"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
  }

  private func run(_ arguments: [String], through: [String] = []) async throws -> (code: Int32, text: String) {
    let (process, pipe) = (Process(), Pipe())
    let command = through + [Self.programs.appendingPathComponent("InboxBrowser").path] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    (process.standardOutput, process.standardError) = (pipe, pipe)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
