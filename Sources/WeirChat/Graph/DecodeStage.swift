import Weir

/// Decodes payloads in a graph. Refusals are output, not errors: a dead-letter port may drop letters under pressure, and
/// a refused payload must not get lost.
///
/// - Emits when: a payload arrives, one ``DecodedLine`` for each fact, event and refusal in it: at least one.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: what the decoder takes for one payload.
/// - Errors: none.
public struct DecodeStage<Line: Sendable>: Stage {
  private let decode: @Sendable (Line) throws(DecodeError) -> Decoded
  private let onSeveral: (@Sendable (Line, Int) -> Void)?

  /// Decodes what `bytes` takes out of a line: the JSON text, without its line feed.
  ///
  /// - Parameter onSeveral: hears of each line that comes out as more than one, with their number, before they are
  ///   emitted: who counts lines needs it to make its sums agree.
  public init(
    _ decoder: some PayloadDecoder, bytes: @escaping @Sendable (Line) -> [UInt8],
    onSeveral: (@Sendable (Line, Int) -> Void)? = nil
  ) {
    self.init(onSeveral: onSeveral) { (line) throws(DecodeError) in try decoder.decode(bytes(line)) }
  }

  /// Decodes with a function, for sources that know more about a payload than its bytes.
  public init(
    onSeveral: (@Sendable (Line, Int) -> Void)? = nil,
    decode: @escaping @Sendable (Line) throws(DecodeError) -> Decoded
  ) {
    self.decode = decode
    self.onSeveral = onSeveral
  }

  public mutating func process(_ line: Line, _ emit: (DecodedLine<Line>) -> Void) {
    do {
      switch try decode(line) {
      case .message(let message): emit(.fact(.message(message)))
      case .recall(let recall): emit(.fact(.recall(recall)))
      case .facts(let facts): emitAll(facts.map { .fact($0) }, of: line, emit)
      case .several(let parts):
        emitAll(parts.flatMap { DecodedLine.outcomes(of: $0, line: line) }, of: line, emit)
      case .refused(let error): emit(.refused(line, error))
      case let event: emit(.event(event))
      }
    } catch {
      emit(.refused(line, error))
    }
  }

  private func emitAll(
    _ outcomes: [DecodedLine<Line>], of line: Line, _ emit: (DecodedLine<Line>) -> Void
  ) {
    // No decoder gives nothing; should one do so, the line is not lost.
    guard !outcomes.isEmpty else { return emit(.event(.ignored(.emptyList))) }
    if outcomes.count > 1 { onSeveral?(line, outcomes.count) }
    for outcome in outcomes { emit(outcome) }
  }
}
