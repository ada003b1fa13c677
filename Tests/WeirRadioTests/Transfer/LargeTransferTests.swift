import Foundation
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// Files longer than one transfer carries, and what is kept over restarts.
@Suite struct LargeTransferTests {
  /// A folder that is gone at the end.
  final class Folder: Sendable {
    let path: String
    init() throws {
      path = NSTemporaryDirectory() + "weir-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
  }

  /// Text of many lines, which becomes much smaller.
  private static func text(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 64)
    var line = 0
    while bytes.count < count {
      bytes += Array("Line \(line) says what line \(line / 7) has said before.\n".utf8)
      line += 1
    }
    return Array(bytes.prefix(count))
  }

  private static func parts(_ content: [UInt8], id: UInt64 = 7, name: String = "a.txt") -> [Data] {
    let manifest = LargeManifest(
      id: id, length: content.count, checksum: ContentChecksum.of(content), name: name)
    return (0..<manifest.count).map { index in
      let start = index * manifest.part
      return Data(manifest.bytes(part: index, Array(content[start..<start + manifest.length(ofPart: index)])))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a large file arrives in parts, and goes on after a failure and a restart of both ends`() throws {
    let folder = try Folder()
    let received = try Folder()
    let content = Self.text(1_300_000)
    let path = folder.path + "/file"
    try Data(content).write(to: URL(fileURLWithPath: path))
    let parts = Noted(0)
    for round in 0..<2 {
      try simulate(seed: UInt64(round)) { simulation in
        try await TransferStations.run(simulation) { stations in
          let receiver = LargeTransferReceiver(folder: received.path)
          let last = Noted<LargeReception?>(nil)
          stations.managers[1].arrivals.set { arrival in
            guard let data = arrival.data else { return }
            parts.change { $0 += 1 }
            last.change { $0 = try? receiver.take(data, from: arrival.source) }
          }
          let result = await LargeTransferSender(stations.managers[0]).send(
            path: path, name: "../notes/a.txt", sourceShortID: 0x11, targetShortID: 0x22,
            controlKey: TransferStations.key, state: folder.path + "/state"
          ) { done, _ in
            // In the first round somebody gives up behind the first part.
            if round == 0, done == 1 {
              Task(executorPreference: simulation.executor) {
                try? await stations.clock.sleep(for: .seconds(1))
                _ = stations.managers[0].cancelSend()
              }
            }
          }
          if round == 0 {
            try simulation.require(result.outcome == .cancelledLocal && result.partsSent == 1, "\(result)")
            try simulation.require(folder.names.contains("state"))
          } else {
            try simulation.require(
              result.outcome == .success && result.partsSent == 3 && result.parts == 3, "\(result)")
            try await stations.waitUntilIdle()
            try simulation.require(
              last.value == .complete(path: received.path + "/a.txt", name: "../notes/a.txt"),
              "\(String(describing: last.value))")
          }
        }
      }
    }
    #expect(parts.value == 3, "no part is sent twice")
    #expect(try Data(contentsOf: URL(fileURLWithPath: received.path + "/a.txt")) == Data(content))
    #expect(received.names == [".weir-done", "a.txt"])
    #expect(folder.names == ["file"], "the state is gone")
  }

  @Test func `parts may come in any order and again, over restarts of the receiver, and no file is overwritten`() throws
  {
    let folder = try Folder()
    let content = Self.text(1_200_000)
    let parts = Self.parts(content)
    for (number, index) in [2, 0, 2, 0, 1].enumerated() {
      // Each from a receiver that has just started.
      let reception = try LargeTransferReceiver(folder: folder.path).take(parts[index], from: 3)
      switch number {
      case 0: #expect(reception == .part(here: 1, of: 3))
      case 1...3: #expect(reception == .part(here: 2, of: 3))
      default: #expect(reception == .complete(path: folder.path + "/a.txt", name: "a.txt"))
      }
    }
    // A copy of the last part, whose confirmation was lost, begins nothing.
    #expect(try LargeTransferReceiver(folder: folder.path).take(parts[1], from: 3) == .part(here: 3, of: 3))
    #expect(folder.names == [".weir-done", "a.txt"])
    for part in Self.parts(Array("short".utf8), id: 8) {
      #expect(
        try LargeTransferReceiver(folder: folder.path).take(part, from: 3)
          == .complete(path: folder.path + "/2-a.txt", name: "a.txt"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.txt")) == Data(content))
  }

  @Test func `manifests that lie are refused, whatever they claim, and take no room`() throws {
    let folder = try Folder()
    let receiver = LargeTransferReceiver(folder: folder.path, maximumBytes: 2_000_000)
    let good = Self.parts(Self.text(1_200_000))[0]
    #expect(try receiver.take(Data("hello".utf8), from: 1) == .notAPart)
    #expect(try receiver.take(Data(), from: 1) == .notAPart)
    var generator = SeededGenerator(seed: 4, stream: "manifests")
    var refused = 0
    for round in 0..<3_000 {
      var bytes = Array(good.prefix(60 + generator.index(below: 3_000)))
      if round % 2 == 0 { bytes = Array(good) }
      for _ in 0..<1 + generator.index(below: 3) {
        bytes[16 + generator.index(below: 26)] =
          [0, 1, 0x7F, 0xFF, UInt8(generator.index(below: 256))][generator.index(below: 5)]
      }
      do {
        _ = try receiver.take(Data(bytes), from: 1)
      } catch {
        refused += 1
        #expect([.protocolMalformed, .invalidDataLength, .crcMismatch].contains(error), "\(error)")
      }
    }
    #expect(refused > 1_000)
    let files = folder.names.filter { $0.hasSuffix(".parts") }
    #expect(files.count <= LargeTransferReceiver.mostOpen, "\(folder.names)")
    #expect(folder.names.allSatisfy { $0.hasPrefix(".weir-") })
  }

  @Test func `a whole that is not what was sent is dropped`() throws {
    let folder = try Folder()
    let receiver = LargeTransferReceiver(folder: folder.path)
    var parts = Self.parts(Self.text(800_000))
    parts[1][parts[1].count - 1] ^= 1
    _ = try receiver.take(parts[0], from: 1)
    #expect(throws: FileTransferError.crcMismatch) { try receiver.take(parts[1], from: 1) }
    #expect(folder.names.isEmpty)
  }

  @Test(arguments: [
    ("../../etc/passwd", "passwd"), ("/", "received"), ("..", "received"), (".hidden", "hidden"), ("a\u{0}b\nc", "abc"),
    ("..\\..\\x", "x"), ("", "received"), ("名字.txt", "名字.txt"),
  ])
  func `names become names of files in the folder`(name: String, clean: String) {
    #expect(LargeTransferReceiver.clean(name) == clean)
  }

  @Test func `a file that has changed since is sent from its beginning`() throws {
    let manifest = LargeManifest(id: 1, length: 1_300_000, checksum: 5, name: "x")
    let folder = try Folder()
    let path = folder.path + "/state"
    let course = LargeTransferSender.Course(manifest: manifest, source: 1, target: 2, next: 2)
    try course.save(path)
    #expect(LargeTransferSender.Course.load(path, source: 1, target: 2) == course)
    #expect(LargeTransferSender.Course.load(path, source: 1, target: 3) == nil, "another station")
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x10
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      #expect(LargeTransferSender.Course.load(path, source: 1, target: 2) == nil, "byte \(place)")
    }
    bytes.removeLast()
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    #expect(LargeTransferSender.Course.load(path, source: 1, target: 2) == nil)
    #expect(LargeTransferSender.Course.load(folder.path + "/none", source: 1, target: 2) == nil)
  }

  /// Power goes at some moment; what comes after it knows only what is on the disk (gate Q14).
  @Test(.timeLimit(.minutes(5)), arguments: [3, 6, 9, 12])
  func `Q14 after a loss of power at most a burst is sent again`(seconds: Int) throws {
    let folder = try Folder()
    let content = MachineAir.noise(150_000)
    let heard = Noted(0)
    let change: @Sendable (Int, inout FileTransferOptions) -> Void = { index, options in
      options.pacing.longestBurst = .seconds(2)
      if index == 1 { options.partials = TransferPartialFolder(path: folder.path) }
    }
    try simulated(seed: UInt64(seconds)) { simulation in
      try await TransferStations.run(simulation, options: change) { stations in
        async let result = stations.managers[0].send(try TransferStations.request(content))
        try await stations.clock.sleep(for: .seconds(seconds))
        heard.change { $0 = stations.air.medium.counts(from: 0, to: 1).heard }
        // From here on nothing reaches the disk.
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + ".kept")
        _ = stations.managers[0].cancelSend()
        _ = try await result
      }
    }
    try FileManager.default.moveItem(atPath: folder.path + ".kept", toPath: folder.path)
    try simulated(seed: 100) { simulation in
      try await TransferStations.run(simulation, options: change) { stations in
        let (result, arrival) = try await stations.transfer(content)
        try simulation.require(result.outcome == .success && arrival?.data == Data(content), "\(result)")
        let burst = stations.managers[0].options.pacing.burst
        let again = result.counts.dataFrames + heard.value - result.counts.chunks
        try simulation.require(again <= burst, "\(again) chunks again, a burst has \(burst)")
        // In the first seconds no burst was over, so nothing had been written down.
        try simulation.require(seconds < 6 || result.counts.resumedChunks > 0, "\(result.counts)")
      }
    }
    #expect(folder.names.isEmpty, "nothing is kept of what is whole")
  }

  @Test func `damaged and foreign files in the folder of parts count as not there`() throws {
    let folder = try Folder()
    let kept = TransferPartialFolder(path: folder.path)
    var buffer = ChunkBuffer(try TransferGeometry(length: 1_000, chunk: 100))
    _ = buffer.insert([UInt8](repeating: 3, count: 100), at: 4)
    let partial = TransferPartial(
      key: TransferPartial.Key(source: 1, content: 9, wireLength: 1_000, codec: 1, chunk: 100), buffer: buffer)
    try kept.save(partial)
    #expect(kept.load() == [partial])
    let path = folder.path + "/" + (folder.names.first ?? "")
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    for place in stride(from: 0, to: bytes.count, by: 13) {
      var damaged = bytes
      damaged[place] ^= 0x40
      try Data(damaged).write(to: URL(fileURLWithPath: path))
      #expect(kept.load().isEmpty, "byte \(place)")
      try Data(bytes.prefix(place)).write(to: URL(fileURLWithPath: path))
      #expect(kept.load().isEmpty, "cut at \(place)")
    }
    #expect(TransferPartialFolder(path: folder.path + "/none").load().isEmpty)
  }
}
