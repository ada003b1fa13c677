/// Where a message is in its trace, as it is carried over a bridge: the two headers of W3C Trace Context.
///
/// What cannot be understood starts a new trace and drops `tracestate`; what can is forwarded, with our own step as the
/// parent (graph spec §4).
public struct TraceContext: Sendable, Hashable {
  /// The trace.
  public let trace: TraceID
  /// The step that the next one follows.
  public let parent: SpanID
  /// All eight flag bits; the standard says what bit 0 means, and that the others are handed on as zero.
  public let flags: UInt8
  /// The members of `tracestate`, most recent first.
  public let state: TraceState

  /// Whether whoever sent it records the trace (bit 0 of the flags).
  public var isSampled: Bool { flags & 1 == 1 }

  /// A context of one's own.
  public init(trace: TraceID, parent: SpanID, isSampled: Bool, state: TraceState = TraceState()) {
    self.init(trace: trace, parent: parent, flags: isSampled ? 1 : 0, state: state)
  }

  private init(trace: TraceID, parent: SpanID, flags: UInt8, state: TraceState) {
    self.trace = trace
    self.parent = parent
    self.flags = flags
    self.state = state
  }

  /// Reads the headers of an incoming message.
  /// - Parameters:
  ///   - traceparent: all values of the header; only a single one is valid.
  ///   - tracestate: all values of the header, in order; they count as one list.
  /// - Returns: nil when `traceparent` is missing or invalid: a new trace begins.
  public init?(traceparent: [String], tracestate: [String] = []) {
    guard traceparent.count == 1, let text = traceparent.first else { return nil }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, let version = Hexadecimal.value(parts[0], digits: 2), version != 0xff else { return nil }
    // Version 0 has four parts and nothing behind them; later ones may have more, which says nothing to us.
    if version == 0 && parts.count != 4 { return nil }
    guard let trace = TraceContext.trace(parts[1]), let parent = Hexadecimal.value(parts[2], digits: 16),
      let span = SpanID(parent), let flags = Hexadecimal.value(parts[3], digits: 2)
    else { return nil }
    self.init(
      trace: trace, parent: span, flags: UInt8(truncatingIfNeeded: flags), state: TraceState(headers: tracestate))
  }

  private static func trace(_ text: Substring) -> TraceID? {
    guard text.utf8.count == 32, let high = Hexadecimal.value(text.prefix(16), digits: 16),
      let low = Hexadecimal.value(text.suffix(16), digits: 16)
    else { return nil }
    return TraceID(high: high, low: low)
  }

  /// The value of the header `traceparent` to send, always as version 0.
  public var traceparent: String { "00-\(trace)-\(parent)-0\(flags & 1)" }

  /// The value of the header `tracestate` to send; nil when there is nothing to say.
  public var tracestate: String? { state.isEmpty ? nil : state.description }

  /// The context to hand on: the same trace, with `step` as the parent of what follows.
  /// - Parameter entry: what we say of ourselves in `tracestate` under our key; nil leaves the list as it is.
  public func forwarded(as step: SpanID, entry: (key: String, value: String)? = nil) -> TraceContext {
    TraceContext(
      trace: trace, parent: step, flags: flags & 1,
      state: entry.map { state.setting($0.key, to: $0.value) } ?? state)
  }

  /// The context of a message whose carrier has no room for headers: both ends derive the same one.
  /// - Parameter step: names the step that sent it, the same text at both ends.
  public init(clientMessageID: String, step: String, isSampled: Bool) {
    self.init(
      trace: TraceID(clientMessageID: clientMessageID), parent: SpanID(clientMessageID: clientMessageID, step: step),
      isSampled: isSampled)
  }
}
