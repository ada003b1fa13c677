/// The progress of one file: a bar, how fast, how long still, and how well the other end is heard. A value.
struct TransferMeter: Sendable {
  private var meter: ProgressMeter
  private let total: Int
  private let start: Duration
  private var done = 0

  init(total: Int, at start: Duration) {
    self.total = total
    self.start = start
    meter = ProgressMeter(counting: "bytes", total: .elements(total))
  }

  mutating func observe(_ fraction: Double, at now: Duration) {
    done = max(done, Int((fraction * Double(total)).rounded(.down)))
    meter.observe(ProgressMeter.Sample(elements: done), at: now - start)
  }

  /// Bytes a second over the last seconds.
  var rate: Double { meter.rate }
  /// Bytes that are there.
  var bytes: Int { done }

  /// At most `width` cells: what does not fit is left out, the bar first, then the signal.
  func line(width: Int, signal: String?) -> String {
    let share = total > 0 ? Double(done) / Double(total) : 1
    var parts = [Humane.percent(share), "\(Humane.bytes(Int64(done))) of \(Humane.bytes(Int64(total)))"]
    parts.append(Humane.bytes(Int64(rate.isFinite ? rate : 0)) + "/s")
    if let remaining = meter.remaining, share < 1 { parts.append(Humane.duration(remaining) + " left") }
    let short = parts.joined(separator: "  ")
    let full = signal.map { short + "  " + $0 } ?? short
    let text = DisplayWidth.of(full) <= width ? full : short
    let room = min(30, width - DisplayWidth.of(text) - 4)
    guard room >= 8 else { return DisplayWidth.truncate(text, to: width) }
    let filled = Int(share * Double(room))
    return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: room - filled) + "]  " + text
  }

  /// What was done in all.
  func summary(_ verb: String, at now: Duration) -> String {
    let time = now - start
    let rate = time > .zero ? Double(total) / (time / .seconds(1)) : 0
    return "\(verb) \(Humane.count(total, "byte")) in \(Humane.duration(time)) (\(Humane.bytes(Int64(rate)))/s)"
  }
}
