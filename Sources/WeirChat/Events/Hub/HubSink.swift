import Weir

/// The end of a graph at an ``EventHub``. A hint that was lost on the way, which its number shows, becomes a request to
/// query everything.
///
/// - Waits when: never.
/// - Memory: one chunk.
/// - Errors: none.
struct HubSink: AsyncChunkStage {
  let hub: EventHub
  private var last: UInt64?

  init(_ hub: EventHub) { self.hub = hub }

  mutating func process(_ envelopes: [EventEnvelope], _ emit: (Never) -> Void) async {
    for envelope in envelopes {
      if let last, envelope.number != last &+ 1 { hub.invalidateEverything() }
      last = envelope.number
      hub.publish(envelope)
    }
  }
}

extension Outlet where Element == EventEnvelope {
  /// Ends here: publishes every event. Never waits; the loss of a hint on the way, for example in a link that drops, is
  /// seen by its number and makes every reader query everything.
  public consuming func sink(
    _ name: String, _ hub: EventHub, file: StaticString = #fileID, line: UInt = #line
  ) {
    sink(name, HubSink(hub), file: file, line: line)
  }
}
