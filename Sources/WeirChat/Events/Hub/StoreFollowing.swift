import Weir
import WeirStore

extension ProjectionFollower {
  /// Publishes to a hub what another process commits, from the moment the follower was opened, until the task is
  /// cancelled. The information comes from the store's log of changes; looking at the version of the file only saves
  /// reading it in vain. Where the log has been trimmed too far, readers are told to query everything.
  ///
  /// When another store or an older copy is put in the file's place, it is opened and readers are told the same (see
  /// ``EventHub/beginStore()``). While nothing stands there, or what stands there is still being made, the old file is
  /// read on.
  /// - Parameters:
  ///   - hub: where the readers are.
  ///   - interval: the pause between two looks.
  ///   - clock: what the pause is measured by.
  /// - Throws: `StoreError` that no further look can mend, for example of kind `foreignFile` when the store of another
  ///   account was put in the file's place, or `corrupt` when the file was cut off.
  public func follow(
    into hub: EventHub, every interval: Duration = .milliseconds(50), clock: GraphClock = .continuous
  ) async throws(StoreError) {
    var state = FollowingState(opening, at: openedAt)
    while !Task.isCancelled {
      do {
        try await look(&state, hub)
        state.unreadableSince = nil
      } catch  where error.isRetryable {
        // A lock or a full disk passes; the log tells all of it at the next look.
      } catch {
        // What another process is just making or copying cannot be read yet.
        let since = state.unreadableSince ?? clock.now
        state.unreadableSince = since
        if error.isFinal || clock.now - since >= FollowingState.patience { throw error }
      }
      do {
        try await clock.sleep(for: interval)
      } catch {
        return
      }
    }
  }

  private func look(_ state: inout FollowingState, _ hub: EventHub) async throws(StoreError) {
    if try await openWhatStandsThere(&state) { hub.beginStore() }
    let version = try await dataVersion()
    guard version != state.dataVersion else { return }
    repeat {
      let (revision, log) = try await changes(&state, hub)
      let template = ProjectionChange(
        kind: .known(.syncApplied), accountEpoch: hub.accountEpoch, connectionGeneration: hub.connectionGeneration)
      guard log.isComplete else {
        state.revision = revision
        hub.invalidateEverything()
        break
      }
      for event in ChatEvent.events(of: log.changes, template, batch: 64) { hub.publish(event) }
      state.revision = log.changes.last?.revision ?? state.revision
      if log.changes.count < FollowingState.page { break }
    } while !Task.isCancelled
    // Noted last: what failed on the way is looked at again.
    state.dataVersion = version
  }

  /// The next changes. A store that has another identity, or is behind where it was, was replaced inside its file.
  private func changes(
    _ state: inout FollowingState, _ hub: EventHub
  ) async throws(StoreError) -> (revision: Int64, log: ChangeLog) {
    let answer = try await identifiedChanges(since: state.revision, limit: FollowingState.page)
    if answer.value.identity == state.identity, answer.revision >= state.revision {
      return (answer.revision, answer.value.log)
    }
    (state.identity, state.revision) = (answer.value.identity, answer.revision)
    hub.beginStore()
    return (answer.revision, ChangeLog(changes: [], isComplete: true))
  }

  /// Opens the file anew if it is not the one that was opened, or its bytes changed without a commit: a checkpoint does
  /// that, and so does who copies another file over it. Tells whether another store came to light.
  private func openWhatStandsThere(_ state: inout FollowingState) async throws(StoreError) -> Bool {
    let isReadable = state.unreadableSince == nil
    guard let standing = FileStanding(path: path), standing != state.standing || !isReadable else { return false }
    if isReadable, let known = state.standing, standing.continues(known), let version = try? await dataVersion(),
      version != state.dataVersion
    {
      state.standing = standing
      return false
    }
    let found = try await reopen()
    let isOther = found.identity != state.identity || found.revision < state.revision
    let unreadableSince = state.unreadableSince
    state = FollowingState(found, at: isOther ? found.revision : state.revision)
    // Until a whole look succeeds.
    state.unreadableSince = unreadableSince
    return isOther
  }
}

extension StoreError {
  /// Whether another look cannot find anything else.
  fileprivate var isFinal: Bool { kind == .foreignFile || kind == .newerFormat || kind == .closed }
}

/// How far a follower has come, and in what.
private struct FollowingState {
  /// Changes read at once.
  static let page = 256
  /// How long a file in the place of ours may be unreadable.
  static let patience = Duration.seconds(1)

  var standing: FileStanding?
  var identity: [UInt8]
  var revision: Int64
  var dataVersion: Int64?
  var unreadableSince: Duration?

  init(_ opening: ProjectionFollower.Opening, at revision: Int64) {
    standing = opening.standing
    identity = opening.identity
    self.revision = revision
  }
}
