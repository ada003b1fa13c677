import Testing
import Weir
import WeirChunks
import WeirTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The small number by default, the large one when `WEIR_SOAK=1`.
func soak(_ small: Int, _ large: Int) -> Int { isSoak ? large : small }

let isSoak = getenv("WEIR_SOAK").map { String(cString: $0) } == "1"

/// The kind of error that is thrown; nil when none is.
func failure(of body: () throws -> Void) -> ChunkError.Kind? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ChunkError)?.kind
  }
}

/// Bytes of several natures.
enum Sample: CaseIterable {
  case text, random, zeros, mixed

  func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    switch self {
    case .text:
      var bytes: [UInt8] = []
      while bytes.count < count {
        bytes += Array((random.element(of: EnglishTexts.lines) ?? "").utf8)
        bytes += Array(" \(random.index(below: 1_000))\n".utf8)
      }
      return Array(bytes.prefix(count))
    case .random: return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case .zeros: return Array(repeating: 0, count: count)
    case .mixed:
      let half = count / 2
      return Sample.text.bytes(half, seed: seed) + Sample.random.bytes(count - half, seed: seed)
    }
  }
}

/// Runs a stage by hand.
func run<S: Stage>(_ stage: S, _ inputs: [S.Input], finishing: Bool = true) throws -> [S.Output] {
  var stage = stage
  var outputs: [S.Output] = []
  for input in inputs { try stage.process(input) { outputs.append($0) } }
  if finishing { try stage.finish { outputs.append($0) } }
  return outputs
}

extension [UInt8] {
  /// Cut into pieces of one length, the last one shorter.
  func pieces(of length: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
  }

  /// Cut into pieces of lengths drawn at random, empty ones among them.
  func pieces(_ random: inout SeededGenerator, longest: Int) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = self[...]
    while !rest.isEmpty {
      let piece = rest.prefix(random.number(in: 0...longest))
      pieces.append(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }
}
