import Weir

/// Turns the results of commits into numbered events in a graph (receiving spec §3). Stands behind a
/// ``ProjectionStage``, so an event never runs ahead of its COMMIT.
///
/// - Emits when: a commit changed something that can be seen: for each conversation the events that describe the change
///   (see ``ConversationChange/events(_:)``), in the order of revisions; or one `syncApplied` for a large commit.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: none.
public struct InvalidationEmitter: Stage {
  private var last: UInt64
  private let template: ProjectionChange
  private let batch: Int

  /// An emitter whose first event has the number after `last`.
  /// - Parameters:
  ///   - last: the number of the last event of an earlier emitter.
  ///   - accountEpoch: the login the commits belong to.
  ///   - connectionGeneration: the connection they came in on.
  ///   - origin: where they come from.
  ///   - batch: a commit that changed more conversations than this is told by one event.
  public init(
    after last: UInt64 = 0, accountEpoch: UInt64 = 0, connectionGeneration: UInt64 = 0,
    origin: ProjectionOrigin = .remoteSync, batch: Int = 64
  ) {
    self.last = last
    self.batch = batch
    template = ProjectionChange(
      kind: .known(.syncApplied), origin: .known(origin), accountEpoch: accountEpoch,
      connectionGeneration: connectionGeneration)
  }

  public mutating func process(_ result: CommitResult, _ emit: (EventEnvelope) -> Void) {
    for event in ChatEvent.events(of: result.changes, template, batch: batch) {
      last &+= 1
      emit(
        EventEnvelope(
          number: last, accountEpoch: template.accountEpoch, connectionGeneration: template.connectionGeneration,
          event: event))
    }
  }
}
