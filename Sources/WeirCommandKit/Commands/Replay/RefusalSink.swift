import Weir
import WeirChat

/// The node that keeps refused lines. It writes what was ready at once, so that a followed file's refusals are in their
/// file while the replay is still running.
struct RefusalSink: AsyncChunkStage {
  typealias Input = DecodedLine<RawLine>
  typealias Output = Never

  let refusals: RefusalLog
  /// Names of the inputs.
  let names: [String]

  mutating func process(_ lines: [DecodedLine<RawLine>], _ emit: (Never) -> Void) async throws(OutputError) {
    for case .refused(let raw, let error) in lines {
      try refusals.add(
        Reject(
          file: names[raw.source], line: raw.number, offset: raw.offset, code: error.code,
          reason: error.description, bytes: raw.bytes))
    }
    try refusals.flush()
  }
}
