import Weir

/// Decodes lines of OpenIM's callbacks in a graph. Refusals are output, not errors: a dead-letter port may drop letters
/// under pressure, and a refused line must not get lost.
///
/// - Emits when: a line arrives, exactly one ``DecodedLine`` each.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: about three times the line while it is decoded.
/// - Errors: none.
public struct DecodeStage<Line: Sendable>: Stage {
  private let decoder: OpenIMCallbackDecoder
  private let bytes: @Sendable (Line) -> [UInt8]

  /// Decodes what `bytes` takes out of a line: the JSON text, without its line feed.
  public init(_ decoder: OpenIMCallbackDecoder, bytes: @escaping @Sendable (Line) -> [UInt8]) {
    self.decoder = decoder
    self.bytes = bytes
  }

  public mutating func process(_ line: Line, _ emit: (DecodedLine<Line>) -> Void) {
    do {
      let decoded = try decoder.decode(bytes(line))
      emit(decoded.fact.map { .fact($0) } ?? .event(decoded))
    } catch {
      emit(.refused(line, error))
    }
  }

  public var isOneToOne: Bool { true }
}
