import Foundation
import Synchronization
import Weir
import WeirRadio

/// `weir receive`: files from a radio modem into a folder.
public enum ReceiveCommand: Command {
  static let folder = CommandOption<String?>.text("into", short: "d", "DIR", "The folder for what comes. Needed.")
  static let local = CommandOption<Int>.integer("id", "ID", 0...255, default: 2, "This station.")
  static let count = CommandOption<Int?>.integer("count", "N", 1...1_000_000, "End after N files.")

  public static let description = CommandDescription(
    name: "receive",
    summary: "Receive files from a radio modem",
    discussion: [
      """
      Writes each file that comes whole and right into DIR, under the number of its sender and the time, and prints its path; \
      nothing that is there already is replaced, and nothing else is ever written there but DIR/.weir-partials, where the parts of \
      files that broke off wait for a day for the rest.
      """,
      "Goes on until interrupted. A transfer that is under way is then given up, and its part kept.",
      """
      Only who has the key can send. It is read from a file or from the variable \(TransferKey.variable).
      """,
    ],
    options: [
      folder.description, local.description, count.description, TransferKey.file.description,
      TransferOutput.json.description,
      TransferOutput.progress.description,
    ] + TransferStation.descriptions + RadioLineOptions.descriptions,
    examples: [("weir receive --port /dev/ttyUSB1 --into inbox --key-file key", "Until Ctrl-C")])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    guard let folder = arguments[folder] else {
      throw UsageError(code: "usage.missing-option", message: "--into is missing", path: arguments.path)
    }
    let key = try TransferKey.read(arguments)
    let inbox = try ReceivedFiles(folder)
    let station = try TransferStation(arguments, partials: inbox.partials)
    let output = TransferOutput(arguments, clock: station.clock)
    // One event for each file that ended, and one at the end.
    let (ends, inlet) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    await MainActor.run {
      station.manager.onEvent = { event in
        switch event {
        case .sendProgress: break
        case .receiveStarted(let source, let total): output.begin(source: source, total: total)
        case .receiveProgress(let progress):
          output.progress(progress.fractionCompleted, isWeak: progress.weakSignal, station)
        case .receiveFinished(let source, let data, let result):
          var path: String?
          do throws(TransferFailure) {
            if let data { path = try inbox.write(Array(data), from: source) }
            output.finish("received", result, source: source, path: path)
            if path != nil { inlet.yield(.success(())) }
          } catch {
            inlet.yield(.failure(error))
          }
          if path == nil, case .failure(let error) = result.outcome { output.note("a file broke off: \(error)") }
        }
      }
    }
    let work = Task {
      try await station.run(as: UInt8(clamping: arguments[local]), key: key) {
        output.ready(UInt8(clamping: arguments[local]))
        var left = arguments[count]
        for await end in ends {
          try end.get()
          left = left.map { $0 - 1 }
          if left == 0 { return true }
        }
        return false
      }
    }
    let isDone = try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      Task {
        _ = await station.manager.cancelReceive()
        inlet.finish()
      }
    }
    if !isDone { throw CancellationError() }
    return .success
  }
}

/// The folder into which files are received.
struct ReceivedFiles: Sendable {
  let folder: String
  /// Where parts of files wait.
  let partials: String

  /// - Throws: ``TransferFailure`` `unwritable`.
  init(_ folder: String) throws(TransferFailure) {
    self.folder = folder
    partials = folder + "/.weir-partials"
    do {
      try FileManager.default.createDirectory(atPath: partials, withIntermediateDirectories: true)
    } catch {
      throw .unwritable(path: folder, .latest)
    }
  }

  /// Writes a file under a name of its own, there whole or not at all.
  func write(_ bytes: [UInt8], from source: UInt8) throws(TransferFailure) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
    let name = folder + "/\(source)-\(formatter.string(from: Date()))"
    let temporary = partials + "/received-\(getpid())"
    do throws(OutputError) {
      var file = try OutputFile(creating: temporary, replacing: true)
      try file.append(bytes)
      try file.flush()
    } catch {
      throw .unwritable(path: temporary, .latest)
    }
    defer { unlink(temporary) }
    for number in 1...10_000 {
      let path = number == 1 ? name : name + "-\(number)"
      // A link fails where there is something; renaming would replace it.
      if link(temporary, path) == 0 { return path }
      guard errno == EEXIST else { throw .unwritable(path: path, .latest) }
    }
    throw .unwritable(path: name, SystemFault(number: EEXIST))
  }
}
