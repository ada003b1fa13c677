import WeirHistory

/// What a cleaning did, or would do.
struct CleaningSection: InspectSection {
  let cleaning: HistoryCleaning
  /// How the history stood before.
  let overview: HistoryOverview
  let isDryRun: Bool

  func lines(width: Int) -> [String] {
    let count = Humane.count(cleaning.transactions, "transaction")
    let rest = Humane.count(max(0, overview.transactions - Int64(cleaning.transactions)))
    let hold = Self.words(cleaning, overview)
    return [isDryRun ? "would delete \(count) and keep \(rest)" : "deleted \(count), \(rest) are kept", hold]
  }

  /// Who holds a cleaning back, in one line.
  static func holdLine(_ overview: HistoryOverview) -> String {
    "a cleaning would delete \(Humane.count(overview.cleaning.transactions, "transaction")); "
      + words(overview.cleaning, overview)
  }

  private static func words(_ cleaning: HistoryCleaning, _ overview: HistoryOverview) -> String {
    switch cleaning.heldBack {
    case .nothing: return "nothing holds it back"
    case .noReader: return "nobody reads the history, so nothing may go: what is read cannot be told from what is not"
    case .keeping: return "what is kept for its age or number begins at transaction \(Humane.count(cleaning.limit + 1))"
    case .pin(let name):
      return "the pin \(printable(name)) holds back all after transaction \(Humane.count(cleaning.limit))"
    case .deadLetter(let author, let seq):
      return "\(printable(author)) gave up on transaction \(Humane.count(seq)), which is kept with all after it: "
        + "replay it (--replay \(seq)) or discard its dead letter"
    case .reader(let name):
      let author = overview.authors.first { $0.name == name }
      let seen = author.map { ", last seen \(HistoryWords.time($0.lastSeen))" } ?? ""
      return "\(printable(name)) holds back all after transaction \(Humane.count(max(cleaning.limit, 0))): "
        + "it has read no further\(seen)"
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.key("cleaning")
    writer.beginObject()
    writer.field("isDryRun", isDryRun)
    writer.field("transactions", cleaning.transactions)
    writer.field("limit", cleaning.limit)
    writer.field("purgedThrough", cleaning.purgedThrough)
    switch cleaning.heldBack {
    case .nothing: writer.field("heldBackBy", "nothing")
    case .noReader: writer.field("heldBackBy", "no-reader")
    case .keeping: writer.field("heldBackBy", "keeping")
    case .pin(let name):
      writer.field("heldBackBy", "pin")
      writer.field("name", name)
    case .deadLetter(let author, let seq):
      writer.field("heldBackBy", "dead-letter")
      writer.field("name", author)
      writer.field("seq", seq)
    case .reader(let name):
      writer.field("heldBackBy", "reader")
      writer.field("name", name)
    }
    writer.endObject()
  }
}
