import WeirChat

/// A part of what `weir inspect` prints.
protocol InspectSection: Sendable {
  /// For people, without line breaks, safe to print.
  func lines(width: Int) -> [String]
  /// For programs, as members of an object.
  func write(to writer: inout JSONWriter)
}

/// What `weir inspect` found.
struct InspectReport: Sendable {
  let profile: StoreProfile
  var sections: [any InspectSection] = []
  /// Why the question has no answer.
  var failure: InspectError?

  func lines(path: String, width: Int) -> [String] {
    let totals = profile.totals
    var lines = [
      "\(printable(path)): store of account \(printable(profile.account)), format \(profile.format), "
        + "revision \(Humane.count(profile.revision)), id \(identity)",
      "\(Humane.count(totals.messages)) messages in \(Humane.count(totals.conversations)) listed conversations "
        + "(\(Humane.count(profile.conversations)) known), "
        + "\(UnreadText.text(totals.unread, unfetched: totals.unfetched)) unread",
    ]
    for section in sections { lines += [""] + section.lines(width: width) }
    return lines
  }

  /// One object on a line of its own.
  func write(to writer: inout JSONWriter, path: String) {
    writer.beginObject()
    writer.field("type", "inspect")
    writer.key("store")
    writer.beginObject()
    writer.field("path", path)
    writer.field("account", profile.account)
    writer.field("format", profile.format)
    writer.field("id", identity)
    writer.field("revision", profile.revision)
    writer.field("historyFrom", profile.historyFrom)
    writer.field("accountEpoch", profile.accountEpoch)
    writer.field("knownConversations", profile.conversations)
    writer.field("listedConversations", profile.totals.conversations)
    writer.field("messages", profile.totals.messages)
    writer.field("unread", profile.totals.unread)
    writer.field("unfetched", profile.totals.unfetched)
    writer.endObject()
    for section in sections { section.write(to: &writer) }
    writer.endObject()
    writer.endLine()
  }

  private var identity: String {
    profile.identity.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
  }
}

/// A number of unread messages: exact, or a range.
enum UnreadText {
  static func text(_ unread: Int, unfetched: Int64) -> String {
    guard unfetched > 0 else { return Humane.count(unread) }
    let (most, overflows) = Int64(unread).addingReportingOverflow(unfetched)
    return Humane.count(unread) + "–" + Humane.count(overflows ? .max : most)
  }
}
