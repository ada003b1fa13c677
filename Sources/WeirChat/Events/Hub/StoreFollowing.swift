import Weir
import WeirStore

extension ProjectionFollower {
  /// Publishes to a hub what another process commits, from the moment the follower was opened, until the task is
  /// cancelled. The information comes from the store's log of changes; looking at the version of the file only saves
  /// reading it in vain. Where the log has been trimmed too far, readers are told to query everything.
  /// - Parameters:
  ///   - hub: where the readers are.
  ///   - interval: the pause between two looks.
  ///   - clock: what the pause is measured by.
  /// - Throws: `StoreError` that no further look can mend.
  public func follow(
    into hub: EventHub, every interval: Duration = .milliseconds(50), clock: GraphClock = .continuous
  ) async throws(StoreError) {
    var state = FollowingState(revision: openedAt)
    while !Task.isCancelled {
      do {
        try await look(&state, hub)
      } catch  where error.isRetryable {
        // A lock or a full disk passes; the log tells all of it at the next look.
      }
      do {
        try await clock.sleep(for: interval)
      } catch {
        return
      }
    }
  }

  private func look(_ state: inout FollowingState, _ hub: EventHub) async throws(StoreError) {
    let version = try await dataVersion()
    guard version != state.dataVersion else { return }
    repeat {
      let log = try await changes(since: state.revision, limit: FollowingState.page)
      let template = ProjectionChange(
        kind: .known(.syncApplied), accountEpoch: hub.accountEpoch, connectionGeneration: hub.connectionGeneration)
      guard log.value.isComplete else {
        state.revision = log.revision
        hub.invalidateEverything()
        break
      }
      for event in ChatEvent.events(of: log.value.changes, template, batch: 64) { hub.publish(event) }
      state.revision = log.value.changes.last?.revision ?? state.revision
      if log.value.changes.count < FollowingState.page { break }
    } while !Task.isCancelled
    // Noted last: what failed on the way is looked at again.
    state.dataVersion = version
  }
}

/// How far a follower has come.
private struct FollowingState {
  /// Changes read at once.
  static let page = 256

  var revision: Int64
  var dataVersion: Int64?
}
