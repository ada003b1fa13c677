/// Counts of lines, per input.
struct LineTally {
  private struct Count {
    var lines = 0
    var refused = 0
    var bytes: Int64 = 0
    var longest = 0
  }

  private let names: [String]
  private let rejects: RejectsWriter?
  private var counts: [Count]
  /// Refused lines of all inputs.
  private(set) var refused = 0

  init(names: [String], rejects: RejectsWriter?) {
    self.names = names
    self.rejects = rejects
    counts = names.map { _ in Count() }
  }

  mutating func add(_ line: RawLine) throws(OutputError) {
    counts[line.source].lines += 1
    counts[line.source].bytes += Int64(line.bytes.count)
    counts[line.source].longest = max(counts[line.source].longest, line.bytes.count)
    guard String(validating: line.bytes, as: UTF8.self) == nil else { return }
    try refuse(
      line.source,
      Reject(
        file: names[line.source], line: line.number, offset: line.offset, code: "line.not-utf8",
        reason: "the line is not UTF-8", bytes: line.bytes))
  }

  mutating func add(_ event: LineSourceEvent, status: inout StatusLine) throws(OutputError) {
    switch event {
    case .refused(let line):
      counts[line.source].lines += 1
      try refuse(
        line.source,
        Reject(
          file: names[line.source], line: line.number, offset: line.offset, code: RefusedLine.code,
          reason: line.reason, bytes: line.start, length: line.length))
    case .looksBinary(let source, let hint): status.print("weir: \(names[source]) \(hint.reason)")
    case .truncated(let source): status.print("weir: \(names[source]) shrank; reading it from its beginning")
    case .replaced(let source): status.print("weir: \(names[source]) was replaced; reading the new file")
    case .vanished(let source): status.print("weir: \(names[source]) has gone; waiting for it")
    case .finished: break
    }
  }

  func sample(bytes: Int64) -> ProgressMeter.Sample {
    ProgressMeter.Sample(elements: counts.reduce(0) { $0 + $1.lines }, bytes: bytes, refused: refused)
  }

  func table() -> String {
    var table = TextTable([
      .init("file", shrinksTo: 12), .init("lines", .right), .init("refused", .right), .init("longest", .right),
      .init("size", .right),
    ])
    for (name, count) in zip(names, counts) {
      table.append([
        name, Humane.count(count.lines), Humane.count(count.refused), Humane.bytes(Int64(count.longest)),
        Humane.bytes(count.bytes),
      ])
    }
    return table.lines().joined(separator: "\n") + "\n"
  }

  func json() -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for (name, count) in zip(names, counts) {
      writer.beginObject()
      writer.field("file", name)
      writer.field("lines", count.lines)
      writer.field("refused", count.refused)
      writer.field("longest", count.longest)
      writer.field("bytes", count.bytes)
      writer.endObject()
    }
    writer.endArray()
    writer.endLine()
    return writer.text
  }

  private mutating func refuse(_ source: Int, _ reject: Reject) throws(OutputError) {
    counts[source].refused += 1
    refused += 1
    try rejects?.append(reject)
  }
}
