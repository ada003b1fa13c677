import Testing
import Weir
import WeirChunks
import WeirTesting

/// The stages inside whole graphs.
@Suite(.timeLimit(.minutes(15))) struct GraphTests {
  @Test func `bytes cross a graph compressed, and the link between counts compressed bytes`() async throws {
    let elements = (0..<400).map { Sample.text.bytes(1_000, seed: UInt64($0)) }
    let limit = 3_000
    let blueprint = try Blueprint("air") { graph in
      graph.source("bytes", elements)
        .via("compress", CompressStream())
        .boundary("air", limit: .bytes(limit))
        .via("decompress", DecompressChunks())
        .collect("received")
    }
    let (received, most) = try await blueprint.run { live in
      var most = 0
      while (live.snapshot()[node: "received"]?.elementsIn ?? 0) < UInt64(elements.count) {
        for link in live.snapshot().links where link.name == "air" {
          most = max(most, link.bytes)
          #expect(link.bytes <= limit)
        }
        await Task.yield()
      }
      await live.waitUntilEnded()
      return (try live[live.handles].value, most)
    }
    #expect(received == elements && most <= limit)
  }

  @Test func `the sender waits when the compressed bytes fill the link, not the original ones`() async throws {
    let element = Sample.text.bytes(1_000)
    // One chunk of text is some 600 bytes: three fit into 2,000, where of the original bytes two would.
    let weight = try CodedChunk(compressing: element).weight
    let fits = 2_000 / weight
    #expect(fits > 2)
    let waiting = try await Self.waiting(elements: Array(repeating: element, count: 50), limit: 2_000)
    #expect(waiting.depth == fits && waiting.bytes == fits * weight)
  }

  private static func waiting(elements: [[UInt8]], limit: Int) async throws -> (depth: Int, bytes: Int) {
    let gate = AsyncStream.makeStream(of: Void.self)
    let blueprint = try Blueprint("full") { graph in
      graph.source("bytes", elements)
        .via("compress", CompressChunks(size: 1_000))
        .boundary("air", limit: .bytes(limit))
        .sink("stuck") { (_: CodedChunk) in for await _ in gate.stream { break } }
    }
    return try await blueprint.run { live in
      var seen = (depth: 0, bytes: 0)
      var steady = 0
      while steady < 200 {
        let link = live.snapshot().links.first { $0.name == "air" }
        let now = (depth: link?.depth ?? 0, bytes: link?.bytes ?? 0)
        steady = now == seen && now.depth > 0 ? steady + 1 : 0
        seen = now
        try await Task.sleep(for: .milliseconds(1))
      }
      gate.continuation.finish()
      live.abort()
      return seen
    }
  }

  /// As the README shows it.
  @Test func `the example of the README does what it says`() async throws {
    let file = Array("the river is rising, bring the boats up the beach\n".utf8)
    let elements = Array(repeating: file, count: 400)
    let air = try Blueprint("air") { graph in
      graph.source("file", elements)
        .via("compress", CompressStream(settings: .radioTransfer))
        .boundary("air", limit: .bytes(4_096))
        .via("decompress", DecompressChunks(limits: .radioTransfer))
        .collect("received")
    }
    let received = try await air.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(received == elements)
    let message = Array("See you tomorrow at eight, don't forget the tickets!".utf8)
    let coded = try SmallMessageCodec().encode(message)
    #expect(message.count == 52 && coded.count == 18)
  }

  @Test func `a damaged chunk fails the run with its code`() async throws {
    var chunks = try run(CompressChunks(size: 500), [Sample.text.bytes(2_000)])
    chunks[2].bytes[10] ^= 0xFF
    let sent = chunks
    let blueprint = try Blueprint("damaged") { graph in
      graph.source("chunks", sent).via("decompress", DecompressChunks()).collect("received")
    }
    await #expect(throws: (any Error).self) {
      try await blueprint.run { live in
        await live.waitUntilEnded()
        return try live[live.handles].value
      }
    }
  }

  @Test func `stages with settings out of range are faults of the blueprint`() throws {
    let settings = CompressionSettings(level: 99)
    try verifyRefused("level") { _, outlet in outlet.via("stage", CompressStream(settings: settings)) }
    try verifyRefused("size") { _, outlet in outlet.via("stage", CompressStream(chunkSize: 0)) }
    try verifyRefused("size") { _, outlet in outlet.via("stage", CompressChunks(size: 0)) }
    let limits = DecodingLimits(length: 0)
    try verifyRefused("limits") { _, outlet in outlet.via("stage", DecompressChunks(limits: limits)) }
    try verifyRefused("length") { _, outlet in outlet.via("stage", DecompressFrame(length: -1)) }
  }

  private static let inputs = (0..<12).map { Sample.text.bytes(10 + $0 * 7, seed: UInt64($0)) }

  @Test func `the rules hold for compressing a stream`() throws {
    try verify("CompressStream", seeds: .sweep(8), options: Self.options) {
      CompressStream()
    } inputs: {
      Self.inputs
    }
  }

  @Test func `the rules hold for compressing chunks`() throws {
    try verify("CompressChunks", seeds: .sweep(8), options: Self.options) {
      CompressChunks(size: 64)
    } inputs: {
      Self.inputs
    }
  }

  // The suite repeats inputs for ever, which no decoder of a stream would take: it is fed by what compresses them.
  @Test func `the rules hold for decompressing chunks`() throws {
    try verify("DecompressChunks", seeds: .sweep(8), options: Self.options) { _, outlet in
      outlet.via("compress", CompressStream()).via("decompress", DecompressChunks(continuity: .openEnd))
    } inputs: {
      Self.inputs
    } expecting: {
      $0
    }
  }

  @Test func `the rules hold for decompressing a frame`() throws {
    try verify("DecompressFrame", seeds: .sweep(8), options: Self.options) { _, outlet in
      outlet.via("compress", CompressStream()).map("bytes") { $0.bytes }
        .via("decompress", DecompressFrame(length: nil, mayStopEarly: true))
    } inputs: {
      Self.inputs
    } expecting: {
      $0
    }
  }

  @Test func `the rules hold for a way through all of them`() throws {
    try verify("there and back", seeds: .sweep(8), options: Self.options) { _, outlet in
      outlet.via("compress", CompressChunks(size: 100)).boundary("air", limit: .bytes(300))
        .via("decompress", DecompressChunks(continuity: .openEnd))
        .via("split", Expand { $0 })
    } inputs: {
      Self.inputs
    } expecting: {
      $0.flatMap { $0 }
    }
  }

  @Test func `the rules hold for small messages`() throws {
    let codec = try SmallMessageCodec(dictionaries: .english)
    try verify("small messages", seeds: .sweep(8), options: Self.options) { _, outlet in
      outlet.via("encode", EncodeSmallMessages(codec)).via("decode", DecodeSmallMessages(codec))
    } inputs: {
      Self.inputs
    } expecting: {
      $0
    }
  }

  private static var options: VerificationOptions {
    var options = VerificationOptions()
    options.longRun = 500
    return options
  }
}
