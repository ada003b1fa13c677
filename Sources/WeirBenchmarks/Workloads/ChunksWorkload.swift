import CZstd
import Weir
import WeirChunks

/// Compression beside the zstd library by itself, on the same bytes: one context, the whole at once, as zstd's own
/// benchmark does it, by processor time. What we add is the look at the first 16 KiB, a checksum, and memory for the
/// result.
let chunks = Family(
  name: "chunks", title: "compressed chunks beside the zstd library",
  cases: [1, 3, 9].flatMap { level in
    [
      Case("Compressor, level \(level)", unit: .perByte, count: 4 << 20) { count in
        let compressor = try Compressor(CompressionSettings(level: level))
        return try await ChunkLoad.time(count) { original in try compressor.compress(original).weight }
      },
      Case("zstd, level \(level)", unit: .perByte, count: 4 << 20) { count in
        let plain = try PlainZstd(level: level, room: count)
        return try await ChunkLoad.time(count) { original in try plain.compress(original) }
      },
    ]
  } + [
    Case("Decompressor, level 3", unit: .perByte, count: 4 << 20) { count in
      let chunk = try CodedChunk(compressing: ChunkLoad.bytes(count))
      let decompressor = try Decompressor()
      return try await ChunkLoad.time(count) { _ in try decompressor.decompress(chunk).count }
    },
    Case("zstd decompression, level 3", unit: .perByte, count: 4 << 20) { count in
      let plain = try PlainZstd(level: 3, room: count)
      let frame = try plain.frame(ChunkLoad.bytes(count))
      return try await ChunkLoad.time(count) { _ in try plain.decompress(frame) }
    },
    Case("CompressStream in a graph, level 3", unit: .perByte, count: 4 << 20) { count in
      let elements = ChunkLoad.elements(count)
      return try await ChunkLoad.time(count) { _ in try await ChunkLoad.stream(elements) }
    },
    Case("zstd stream, level 3", unit: .perByte, count: 4 << 20) { count in
      let elements = ChunkLoad.elements(count)
      let plain = try PlainZstd(level: 3, room: count)
      return try await ChunkLoad.time(count) { _ in try plain.stream(elements) }
    },
    Case("small message, encode", unit: .perCall, count: 4_000) { count in
      let codec = try SmallMessageCodec(dictionaries: .english)
      let messages = ChunkLoad.messages(count)
      _ = try codec.encode(messages[0])
      let spent = try await Spent { for message in messages { _ = try codec.encode(message) } }
      return spent[.processor] / Double(count)
    },
    Case("small message, decode", unit: .perCall, count: 20_000) { count in
      let codec = try SmallMessageCodec(dictionaries: .english)
      let coded = try ChunkLoad.messages(200).map { try codec.encode($0) }
      let spent = try await Spent { for number in 0..<count { _ = try codec.decode(coded[number % coded.count]) } }
      return spent[.processor] / Double(count)
    },
  ],
  comparisons: [1, 3, 9].map { .speedup("Compressor, level \($0)", over: "zstd, level \($0)", goal: 0.9) } + [
    .speedup("Decompressor, level 3", over: "zstd decompression, level 3", goal: 0.9),
    .speedup("CompressStream in a graph, level 3", over: "zstd stream, level 3", goal: 0.9),
    .reading("small message, encode"),
    .reading("small message, decode"),
  ])

/// What is compressed: lines as a bridge moves them, with words and ids that differ.
enum ChunkLoad {
  static func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 1_024)
    var number = 0
    while bytes.count < count {
      let text = sentence(&number)
      bytes += Array(
        """
        {"clientMsgID":"\(String(mixed(number), radix: 16))","seq":\(number),"sendID":"88421\(number % 90 + 10)","text":"\(text)"}

        """.utf8)
    }
    return Array(bytes[..<count])
  }

  static func elements(_ count: Int) -> [[UInt8]] {
    let all = bytes(count)
    return stride(from: 0, to: count, by: 65_536).map { Array(all[$0..<min($0 + 65_536, count)]) }
  }

  /// Texts of about 60 bytes.
  static func messages(_ count: Int) -> [[UInt8]] {
    var number = 0
    return (0..<count).map { _ in Array(sentence(&number).utf8) }
  }

  /// Nanoseconds of processor time for one byte, over some passes; every pass must give the same.
  static func time(_ count: Int, _ work: ([UInt8]) async throws -> Int) async throws -> Double {
    let original = bytes(count)
    let expected = try await work(original)
    let passes = 4
    let spent = try await Spent {
      for _ in 0..<passes {
        let result = try await work(original)
        guard result == expected else {
          throw BenchmarkError.wrongResult(name: "chunks", expected: expected, result: result)
        }
      }
    }
    return spent[.processor] / Double(count * passes)
  }

  /// Coded bytes of a stream that a graph compresses.
  static func stream(_ elements: [[UInt8]]) async throws -> Int {
    let blueprint = try Blueprint("chunks") { graph in
      graph.source("bytes", elements).via("compress", CompressStream()).fold("size", 0) { $0 += $1.weight }
    }
    return try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
  }

  private static func sentence(_ number: inout Int) -> String {
    let words = (0..<10).map { _ in
      number += 1
      return vocabulary[Int(mixed(number) % UInt64(vocabulary.count))]
    }
    return words.joined(separator: " ")
  }

  private static func mixed(_ number: Int) -> UInt64 {
    var mixed = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed >> 29)
  }

  private static let vocabulary = """
    the a of to and we you they can will should have had meet send bring wait call tomorrow today later morning evening bus train
    station bridge river house kitchen garden door window key ticket report photo message server test build radio battery signal
    weather rain snow storm team driver doctor teacher friend brother sister please thanks sorry maybe really never always again
    before after between near behind under over left right north south warm cold early late open closed broken ready done 晚上 七点 老地方 见
    """.split { $0 == " " || $0 == "\n" }.map(String.init)
}
