import Synchronization
import Weir
import WeirRadio

/// What a transfer prints: a progress line for people, JSON lines for programs.
final class TransferOutput: Sendable {
  static let json = CommandOption<Bool>.flag(
    "json", "Print beginnings, progress and ends as JSON lines on standard output; each has a \"type\".")
  static let progress = CommandOption<Bool>.flag(
    "progress", "Show progress also when standard error is no terminal.")

  private struct State {
    var meter: TransferMeter?
    var status: StatusLine
    var lastLine: Duration = .zero
  }

  private let state: Mutex<State>
  private let output = SharedOutput()
  private let isJSON: Bool
  private let clock: GraphClock

  init(_ arguments: ParsedArguments, clock: GraphClock) {
    isJSON = arguments[Self.json]
    self.clock = clock
    state = Mutex(State(status: .standardError(isForced: arguments[Self.progress])))
  }

  /// Files can come.
  func ready(_ local: UInt8) {
    if isJSON { write("ready") { $0.field("id", Int(local)) } }
  }

  /// A file begins.
  func begin(source: UInt8? = nil, total: Int) {
    state.withLock { $0.meter = TransferMeter(total: total, at: clock.now) }
    guard isJSON else { return }
    write("started") { writer in
      if let source { writer.field("source", Int(source)) }
      writer.field("bytes", total)
    }
  }

  /// So much of it is there.
  func progress(_ fraction: Double, isWeak: Bool?, _ station: TransferStation) {
    let now = clock.now
    let line = state.withLock { state -> (bytes: Int, rate: Double)? in
      state.meter?.observe(fraction, at: now)
      guard let meter = state.meter else { return nil }
      let signal = [station.signal, isWeak == true ? "weak" : nil].compactMap { $0 }.joined(separator: ", ")
      state.status.update(at: now) { meter.line(width: $0, signal: signal.isEmpty ? nil : signal) }
      return (meter.bytes, meter.rate)
    }
    guard isJSON, let line else { return }
    write("progress") { writer in
      writer.field("bytes", line.bytes)
      writer.field("fraction", fraction)
      writer.field("bytesPerSecond", line.rate)
      if let isWeak { writer.field("weakSignal", isWeak) }
      let (rssi, snr) = station.signalNumbers
      if let rssi { writer.field("rssi", rssi) }
      if let snr { writer.field("snr", snr) }
    }
  }

  /// It is over.
  func finish(_ verb: String, _ result: FileTransferResult, source: UInt8? = nil, path: String? = nil) {
    let now = clock.now
    let isSuccess = result.outcome == .success
    state.withLock { state in
      let summary = isSuccess ? state.meter?.summary(verb, at: now) : nil
      state.status.finish(summary.map { $0 + (path.map { " to \(printable($0))" } ?? "") })
      state.meter = nil
    }
    if !isJSON, isSuccess, let path {
      try? output.append(printable(path) + "\n")
      try? output.flush()
    }
    guard isJSON else { return }
    write("finished") { writer in
      writer.field("outcome", Self.word(result.outcome))
      if case .failure(let error) = result.outcome { writer.field("code", error.code) }
      writer.field("restoration", Self.word(result.restoration))
      if let source { writer.field("source", Int(source)) }
      if let path { writer.field("path", path) }
      if result.counts.dataFrames > 0 {
        writer.field("chunks", result.counts.chunks)
        writer.field("resumedChunks", result.counts.resumedChunks)
        writer.field("dataFrames", result.counts.dataFrames)
      }
    }
  }

  /// Something to know, above the progress line.
  func note(_ text: String) { state.withLock { $0.status.print("weir: " + text) } }

  private func write(_ type: String, _ fields: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("type", type)
    fields(&writer)
    writer.endObject()
    writer.endLine()
    // A reader who has gone away does not stop the transfer.
    try? output.append(writer.bytes)
    try? output.flush()
  }

  private static func word(_ outcome: FileTransferOutcome) -> String {
    switch outcome {
    case .success: "success"
    case .cancelledLocal: "cancelledLocal"
    case .cancelledRemote: "cancelledRemote"
    case .failure: "failure"
    }
  }

  private static func word(_ restoration: FileTransferRestoration) -> String {
    switch restoration {
    case .notRequired: "notRequired"
    case .restored: "restored"
    case .failed: "failed"
    }
  }
}

extension FileTransferResult {
  /// How a command ends that had this transfer: throws unless it is a success.
  func check() throws {
    switch outcome {
    case .success: if case .failed(let error) = restoration { throw TransferFailure.notRestored(error) }
    case .cancelledLocal: throw CancellationError()
    case .cancelledRemote: throw TransferFailure.cancelledByPeer
    case .failure(let error):
      if let refusal { throw TransferFailure.refused(refusal) }
      throw TransferFailure.failed(error)
    }
  }
}
