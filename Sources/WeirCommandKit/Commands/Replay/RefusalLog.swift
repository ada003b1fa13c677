import Synchronization

/// The refused lines of a run: all of them go to the file the user named, their number and the first few are kept for
/// the summary.
///
/// Memory: ``shown`` lines, each cut to what is shown of it, and one count for each kind of refusal.
final class RefusalLog: Sendable {
  /// A refusal as the summary shows it.
  struct Entry: Sendable, Equatable {
    let file: String
    let line: Int
    let code: String
    let reason: String
  }

  /// What was refused so far.
  struct Report: Sendable, Equatable {
    /// Refused lines in all.
    var total = 0
    /// Refused lines by code.
    var codes: [String: Int] = [:]
    /// The first ones.
    var first: [Entry] = []
  }

  /// How many refusals the summary shows.
  static let shown = 5

  private let writer: RejectsWriter?
  private let state = Mutex(Report())

  init(writer: RejectsWriter?) {
    self.writer = writer
  }

  var report: Report { state.withLock { $0 } }

  /// Where the lines are kept, if they are.
  var path: String? { writer?.path }

  func add(_ reject: Reject) throws(OutputError) {
    state.withLock { state in
      state.total += 1
      state.codes[reject.code, default: 0] += 1
      guard state.first.count < Self.shown else { return }
      state.first.append(Entry(file: reject.file, line: reject.line, code: reject.code, reason: reject.reason))
    }
    try writer?.append(reject)
  }

  func flush() throws(OutputError) { try writer?.flush() }
}
