import Synchronization
import WeirChat

/// What a run has come to so far, counted by its nodes, read by anyone. Every line read ends in exactly one count, and
/// each further fact or event in it in one more:
/// refused, an event, dropped by a hook, or a fact that the window or the store took.
final class ReplayTally: Sendable {
  /// The counts.
  struct Counts: Sendable, Equatable {
    /// Lines read, those that were too long included.
    var lines = 0
    /// Facts and events beyond the first of a line: some lines hold several.
    var more = 0
    /// Bytes read.
    var bytes: Int64 = 0
    /// Facts in the lines, by kind, before any is merged or dropped.
    var facts = FactCounts()
    /// Lines that need no store, by code: typing, online-only messages, lines ignored by rule.
    var events: [String: Int] = [:]
    /// Facts dropped by hooks, by hook.
    var dropped: [String: Int] = [:]
    /// What the commits did; `changes` and `rejected` are left out.
    var stored = CommitResult()
    /// Facts that the store could not take.
    var unstorable = 0
    /// Transactions.
    var commits = 0
    /// Hints emitted.
    var hints = 0
  }

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  func read(lines: Int, bytes: Int64) {
    state.withLock { state in
      state.lines += lines
      state.bytes = bytes
    }
  }

  func decoded(_ fact: Fact) {
    state.withLock { $0.facts.add(fact) }
  }

  func add(_ event: Decoded) {
    let code =
      switch event {
      case .typing: "typing"
      case .onlineOnly: "online-only"
      case .ignored(let reason): reason.code
      case .notice: "notice"
      case .lost: "lost"
      case .message, .recall, .facts, .several: "fact"
      case .refused(let error): error.code
      }
    state.withLock { $0.events[code, default: 0] += 1 }
  }

  /// A line holds so many facts and events.
  func several(_ count: Int) {
    state.withLock { $0.more += count - 1 }
  }

  /// A line was read that is too long to go any further.
  func refused() {
    state.withLock { $0.lines += 1 }
  }

  func dropped(by hook: String) {
    state.withLock { $0.dropped[hook, default: 0] += 1 }
  }

  func add(_ commit: CommitResult) {
    state.withLock { state in
      state.commits += 1
      state.stored.revision = commit.revision
      state.stored.inserted += commit.inserted
      state.stored.merged += commit.merged
      state.stored.advanced += commit.advanced
      state.stored.recalled += commit.recalled
      state.stored.orphaned += commit.orphaned
      state.unstorable += commit.rejected.count
    }
  }

  func hinted(_ count: Int) {
    state.withLock { $0.hints += count }
  }
}

extension ReplayTally.Counts {
  /// Lines and further parts of lines whose end is known. `merged` are those that the dedupe window recognised, `refused` the refused ones.
  func settled(merged: Int, refused: Int) -> Int {
    let told = stored.inserted + stored.advanced + stored.recalled + stored.orphaned + stored.merged + unstorable
    return told + events.values.reduce(0, +) + dropped.values.reduce(0, +) + merged + refused
  }

  /// Whether the store holds anything now that it did not hold before.
  var hasChanged: Bool { stored.inserted + stored.advanced + stored.recalled + stored.orphaned > 0 }
}
