import WeirHistory

/// What a probe is asked to do.
struct ProbeArguments: Sendable {
  static let usage = """
    HistoryProbe write PATH AUTHOR [options]    writes transactions of rows, and prints the number of each
      --count N          so many; 0 for as many as there is time for (default 1)
      --rows N           rows of each (default 1)
      --same             rows that other probes write as well, merged by an UPSERT
      --pause MS         between two
      --hold             keeps the transaction open until its input ends
      --die-at body:N    ends like a crash inside the transaction N of its own
    HistoryProbe follow PATH AUTHOR [options]   merges what others write, until its input ends; prints what it observed,
                                                merged and rebuilt
      --die-at STEP:SEQ  ends like a crash at a step of the pass over a transaction: observer, hook, merge, projection,
                         refresh, committed
      --die-at-exactly STEP:SEQ   the same, and not at a later one
      --stop-at SEQ      stops (SIGSTOP) inside the observer of a transaction
      --wait-at SEQ      its hook waits for ever and hears no cancellation
      --hasty            closes the history at the end of its input and stops nothing before
      --fail-at SEQ      its hook throws for a transaction
      --slow MS          its observer takes so long for each transaction
      --page N           transactions of a page
      --clean            cleans after each pass
      --export           as an exporter
    HistoryProbe purge PATH [options]           cleans all the time, until its input ends
    HistoryProbe raw PATH                       runs the lines of its input as a program that knows nothing of the history
    options of all:
      --no-bell, --no-watch, --period MS        the ways to hear of a change, and the period of the timer
      --checkpoint PAGES                        the log is folded in beyond these
    """

  let command: String
  let path: String
  let author: String
  private(set) var count = 1
  private(set) var rows = 1
  private(set) var isSame = false
  private(set) var pause = 0
  private(set) var death: (step: String, at: Int64)?
  private(set) var diesExactly = false
  private(set) var stopAt: Int64?
  private(set) var failAt: Int64?
  private(set) var waitAt: Int64?
  private(set) var isHasty = false
  private(set) var holds = false
  private(set) var slow = 0
  private(set) var cleans = false
  private(set) var exports = false
  private(set) var options = HistoryOptions()

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    guard let command = rest.popFirst(), let path = rest.popFirst() else { throw ProbeError(Self.usage) }
    self.command = command
    self.path = path
    author = rest.first.map { $0.hasPrefix("--") } == false ? rest.removeFirst() : ""
    while let option = rest.popFirst() {
      switch option {
      case "--same": isSame = true
      case "--clean": cleans = true
      case "--hasty": isHasty = true
      case "--hold": holds = true
      case "--export": exports = true
      case "--no-bell": options.wake.doorbell = false
      case "--no-watch": options.wake.watchesDirectory = false
      default: try take(option, rest.popFirst())
      }
    }
  }

  private mutating func take(_ option: String, _ value: String?) throws {
    guard let value else { throw ProbeError("\(option) needs a value\n\(Self.usage)") }
    if option.hasPrefix("--die-at") {
      diesExactly = option == "--die-at-exactly"
      let parts = value.split(separator: ":")
      guard parts.count == 2, let seq = Int64(parts[1]) else { throw ProbeError(Self.usage) }
      death = (String(parts[0]), seq)
      return
    }
    guard let number = Int(value) else { throw ProbeError("\(option) needs a number\n\(Self.usage)") }
    switch option {
    case "--count": count = number
    case "--rows": rows = number
    case "--pause": pause = number
    case "--stop-at": stopAt = Int64(number)
    case "--wait-at": waitAt = Int64(number)
    case "--fail-at": failAt = Int64(number)
    case "--slow": slow = number
    case "--checkpoint": options.connection.checkpointPages = Int32(clamping: number)
    case "--page": options.pageTransactions = number
    case "--period":
      options.wake.activePeriod = .milliseconds(number)
      options.wake.idlePeriod = .milliseconds(number)
    default: throw ProbeError("\(option) is unknown\n\(Self.usage)")
    }
  }

  /// Ends the process where this is the step and the transaction to do so.
  func dieIf(_ step: String, _ seqs: some Sequence<Int64>) {
    guard let death, death.step == step else { return }
    if seqs.contains(where: { diesExactly ? $0 == death.at : $0 >= death.at }) { die() }
  }
}
