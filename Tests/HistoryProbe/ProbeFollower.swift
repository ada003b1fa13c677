import WeirHistory
import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Merges what others write.
struct ProbeFollower {
  private let arguments: ProbeArguments

  init(_ arguments: ProbeArguments) { self.arguments = arguments }

  func run() async throws {
    let isOver = inputEnd()
    let history = try await ProbeStore.open(arguments)
    let author = arguments.author
    let tracker = try await HistoryTracker(
      history, currentAuthor: author, role: arguments.exports ? .exporter : .consumer, targets: targets,
      cleanStrategy: arguments.cleans ? .byNotification(1) : .none,
      rebuild: { connection in
        try ProbeStore.rebuild(author, connection)
        say("rebuilt")
      }, logger: ProbeLogger(), logLevel: .important, autoStart: false)
    observe(tracker)
    try tracker.registerMergeHook { [arguments] input in
      let seqs = input.transactions.map(\.seq)
      arguments.dieIf("hook", seqs)
      if let seq = arguments.waitAt, seqs.contains(seq) {
        say("waiting \(seq)")
        while true { await Task.detached { try? await Task.sleep(for: .milliseconds(50)) }.value }
      }
      if let seq = arguments.failAt, seqs.contains(seq) { throw ProbeError("transaction \(seq) cannot be read") }
      return .goOn.writing("last words") { _ in arguments.dieIf("merge", seqs) }
    }
    say("ready \((try? await history.cursor(of: author).seq) ?? -1)")
    tracker.start()
    while !isOver.hasEnded { try await Task.sleep(for: .milliseconds(5)) }
    if !arguments.isHasty { await tracker.stopAndWait() }
    await history.close()
  }

  private var targets: [MergeTarget] {
    let arguments = arguments
    return [
      .rows("copy") { connection, transactions in
        try ProbeStore.project(arguments.author, connection, transactions)
        arguments.dieIf("projection", transactions.map(\.seq))
      },
      .memory("output") { transactions in
        arguments.dieIf("refresh", transactions.map(\.seq))
        for transaction in transactions {
          say("merged \(transaction.seq) \(transaction.author ?? "nobody") \(transaction.changes.count)")
        }
      },
    ]
  }

  private func observe(_ tracker: HistoryTracker) {
    for operation in HistoryOperation.allCases {
      tracker.registerObserver(entityName: "message", operation: operation) { [arguments] contexts in
        let seq = contexts[0].seq
        say("observed \(seq)")
        if arguments.slow > 0 { try? await Task.sleep(for: .milliseconds(arguments.slow)) }
        arguments.dieIf("observer", [seq])
        if arguments.stopAt == seq { raise(SIGSTOP) }
      }
      tracker.registerObserver(entityName: "message", operation: operation, phase: .afterCommit) {
        [arguments] contexts in arguments.dieIf("committed", [contexts[0].seq])
      }
    }
  }
}

private struct ProbeLogger: HistoryLogger {
  func log(_ kind: HistoryLogKind, _ message: String) { say("\(kind.rawValue) \(message)") }
}
