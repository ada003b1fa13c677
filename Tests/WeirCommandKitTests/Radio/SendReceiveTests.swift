import Foundation
import Testing
import WeirRadio

@testable import WeirCommandKit

/// Two processes, two terminals, one file.
@Suite(.serialized) struct `Sending a file` {
  static let key = ["WEIR_RADIO_KEY": "00112233445566778899aabbccddeeff"]
  /// Not much faster than real time, so that a busy machine still answers in time; a report for every eight frames.
  static let speed = ["--speed", "2", "--burst", "8"]

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func random(_ count: Int, to name: String) throws -> [UInt8] {
    var generator = SimulatorGenerator(seed: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    try folder.write(bytes, to: name)
    return bytes
  }

  private func receive(_ radio: SimulatedRadio, _ name: String, _ more: [String] = []) async throws -> RadioProcess {
    let process = try RadioProcess(
      ["receive", "--port", radio.devices[1], "--into", "inbox", "--count", "1", "--json"] + Self.speed + more,
      in: folder, name: name, environment: Self.key)
    _ = try await process.line(ofType: "ready")
    return process
  }

  private func send(_ radio: SimulatedRadio, _ name: String, _ more: [String] = []) throws -> RadioProcess {
    try RadioProcess(
      ["send", "file", "--to", "2", "--port", radio.devices[0], "--json"] + Self.speed + more, in: folder, name: name,
      environment: Self.key)
  }

  /// What stands in the folder, without the parts that wait.
  private func inbox() throws -> [[UInt8]] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file("inbox")).filter { !$0.hasPrefix(".") }.sorted()
      .map { try folder.contents(of: "inbox/" + $0) }
  }

  /// Waits until so much of the file has come.
  private func wait(_ process: RadioProcess, for fraction: Double) async throws {
    while true {
      let done = try process.objects().last { $0["type"] as? String == "progress" }?["fraction"] as? Double ?? 0
      if done >= fraction { return }
      try #require(process.isRunning, "it ended: \(process.errorText)")
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test(.timeLimit(.minutes(3)), arguments: [["--dialect", "turmass"], ["--dialect", "kiss", "--rate", "50000"]])
  func `arrives as it was, in spite of loss, and both say how it went`(line: [String]) async throws {
    let radio = try await SimulatedRadio(Array(Self.speed.prefix(2)) + line + ["--loss", "20%"], in: folder)
    let bytes = try random(8_000, to: "file")
    let receiver = try await receive(radio, "receive", line)
    let sender = try send(radio, "send", line)
    let code = try await sender.end()
    try #require(code == 0, "\(sender.errorText)")
    #expect(try await receiver.end() == 0, "\(receiver.errorText)")
    #expect(try inbox() == [bytes])
    let sent = try sender.objects()
    #expect(sent.first?["type"] as? String == "started" && sent.first?["bytes"] as? Int == bytes.count)
    #expect(sent.last?["outcome"] as? String == "success" && sent.last?["restoration"] as? String != "failed")
    let fractions = sent.compactMap { $0["fraction"] as? Double }
    #expect(!fractions.isEmpty && fractions == fractions.sorted() && fractions.allSatisfy { $0 <= 1 })
    let heard = try receiver.objects()
    #expect(heard.contains { $0["rssi"] as? Int == -80 })
    let path = try #require(heard.last?["path"] as? String)
    #expect(try folder.contents(of: path) == bytes && heard.last?["source"] as? Int == 1)
    let (_, link) = try await radio.stop()
    #expect(link["lost"] as? Int ?? 0 > 0)
  }

  @Test(.timeLimit(.minutes(5)), arguments: ["receiver", "sender"])
  func `goes on where it stopped when either is killed in the middle`(victim: String) async throws {
    let radio = try await SimulatedRadio(Array(Self.speed.prefix(2)) + ["--loss", "5%"], in: folder)
    let bytes = try random(24_000, to: "file")
    var receiver = try await receive(radio, "receive-1")
    var sender = try send(radio, "send-1")
    try await wait(sender, for: 0.5)
    if victim == "receiver" {
      receiver.signal(SIGKILL)
      #expect(try await receiver.end() == -SIGKILL)
      // Whoever sends finds out by itself, or is told to stop; here it is told.
      sender.signal(SIGTERM)
      #expect(try await sender.end() == ExitCode.terminated.rawValue, "\(sender.errorText)")
      receiver = try await receive(radio, "receive-2")
    } else {
      sender.signal(SIGKILL)
      #expect(try await sender.end() == -SIGKILL)
    }
    sender = try send(radio, "send-2")
    let code = try await sender.end()
    try #require(code == 0, "\(sender.errorText)")
    #expect(try await receiver.end() == 0, "\(receiver.errorText)")
    #expect(try inbox() == [bytes])
    let last = try #require(try sender.objects().last)
    let (chunks, resumed) = (last["chunks"] as? Int ?? 0, last["resumedChunks"] as? Int ?? 0)
    #expect(resumed > 0 && resumed < chunks, "\(resumed) of \(chunks)")
    _ = try await radio.stop()
  }

  @Test(.timeLimit(.minutes(3))) func `ends when it is told to stop, or when nobody is there`() async throws {
    let radio = try await SimulatedRadio(Array(Self.speed.prefix(2)), in: folder)
    _ = try random(24_000, to: "file")
    let receiver = try await receive(radio, "receive")
    let sender = try send(radio, "send")
    try await wait(receiver, for: 0.1)
    sender.signal(SIGINT)
    #expect(try await sender.end() == ExitCode.interrupted.rawValue, "\(sender.errorText)")
    let end = try await receiver.line(ofType: "finished")
    #expect(end["outcome"] as? String == "cancelledRemote", "\(end)")
    #expect(try inbox().isEmpty)
    receiver.signal(SIGINT)
    #expect(try await receiver.end() == ExitCode.interrupted.rawValue, "\(receiver.errorText)")
    let alone = try send(radio, "alone", ["--patience", "0"])
    #expect(try await alone.end() == ExitCode.temporary.rawValue)
    #expect(alone.errorText.contains("[file-transfer.timeout]"), "\(alone.errorText)")
    _ = try await radio.stop()
  }

  @Test func `refuses what cannot be sent, before it touches a modem`() throws {
    try folder.write("", to: "empty")
    try folder.write([UInt8](repeating: 0, count: FileTransferSendRequest.maximumLength + 1), to: "long")
    try folder.write("text", to: "file")
    try folder.write("00112233", to: "short-key")
    try folder.write("0011 2233 4455 6677 8899 aabb ccdd eeff\n", to: "key")
    for (line, code, name) in [
      ("send file --to 2 --port none", ExitCode.usage, "key.missing"),
      ("send file --to 2 --port none --key-file short-key", .dataRefused, "key.malformed"),
      ("send file --to 2 --port none --key-file nowhere", .noInput, "input.unreadable"),
      ("send file --port none --key-file key", .usage, "usage.missing-option"),
      ("send file --to 2 --key-file key", .usage, "usage.missing-option"),
      ("send file --to 256 --port none --key-file key", .usage, "usage.bad-value"),
      ("send file --to 1 --port none --key-file key", .dataRefused, "file-transfer.invalid-target"),
      ("send empty --to 2 --port none --key-file key", .dataRefused, "input.empty"),
      ("send long --to 2 --port none --key-file key", .dataRefused, "input.too-long"),
      ("send missing --to 2 --port none --key-file key", .noInput, "input.unreadable"),
      ("send file --to 2 --port none --key-file key", .noInput, "radio.link-lost"),
      ("receive --into in --key-file key", .usage, "usage.missing-option"),
      ("receive --port none --key-file key", .usage, "usage.missing-option"),
      ("receive --port none --into in --key-file key", .noInput, "radio.link-lost"),
      ("receive --port none --into file --key-file key", .cannotCreate, "output.cannot-create"),
    ] {
      let result = try Shell.run("unset WEIR_RADIO_KEY; weir \(line)", in: folder)
      #expect(result.code == code.rawValue, "\(line): \(result.code) \(result.errors)")
      #expect(result.errors.contains("[\(name)]"), "\(line): \(result.errors)")
      #expect(!result.errors.contains("eeff"), "the key is told to nobody")
    }
  }
}
