import Weir
import WeirChat
import WeirStore

/// The graph of a replay: ingest, decode, sort, dedupe, merge hooks, projection, invalidation, hints.
///
/// Memory: the two places where whole messages wait are bounded in bytes (``bytesInLine`` each), the legs for facts and
/// refusals too; the tasks hold one chunk each on top, which is at most as much again; the dedupe window remembers
/// ``window`` hashes.
struct ReplayGraph: Sendable {
  /// Bytes that may wait in each link that carries whole messages.
  static let bytesInLine = 1 << 20
  /// Facts of which an exact repetition is recognised before it reaches the store.
  static let window = 65_536

  let ingest: LineIngest
  let decoder: OpenIMCallbackDecoder
  let hooks: MergeHooks
  let names: [String]
  let tally: ReplayTally
  let refusals: RefusalLog
  let supervision: Supervision
  let projection: ProjectionStage
  let printer: HintPrinter

  func blueprint() throws(GraphFaults) -> Blueprint<Void> {
    let tally = tally
    return try Blueprint("replay") { graph in
      graph.source("ingest", of: RawLine.self, limit: .bytes(Self.bytesInLine)) { try await ingest.run($0) }
        .via("decode", DecodeStage(decoder, bytes: \.bytes, onSeveral: { tally.several($1) }))
        .route("sort", by: { $0.kind }, limit: .bytes(Self.bytesInLine)) { leg, lines in
          switch leg {
          case .facts: store(lines)
          case .events: count(lines)
          case .refused: lines.sink("refused", RefusalSink(refusals: refusals, names: names))
          }
        }
    }
  }

  private func store(_ lines: consuming Outlet<DecodedLine<RawLine>>) {
    let tally = tally
    lines
      .compactMap("facts") { line in
        guard let fact = line.fact else { return nil }
        tally.decoded(fact)
        return fact
      }
      .dedupe("dedupe", by: \.dedupeKey, remembering: Self.window)
      .via("merge-hooks", MergeHookStage(hooks) { _, hook, _ in tally.dropped(by: hook) })
      .boundary("to-store", limit: .bytes(Self.bytesInLine))
      .via("projection", projection, limit: .elements(4), supervision: supervision)
      .via("invalidation", InvalidationEmitter(batch: printer.form.batch))
      .sink("hints", printer)
  }

  private func count(_ lines: consuming Outlet<DecodedLine<RawLine>>) {
    let tally = tally
    lines.sink("events") { line in
      if case .event(let event) = line { tally.add(event) }
    }
  }
}
