import Foundation
import Weir
import WeirRadio

/// `weir send`: a file over a radio modem.
public enum SendCommand: Command {
  static let target = CommandOption<Int?>.integer("to", "ID", 0...255, "The station that is to receive it. Needed.")
  static let patience = CommandOption<Int>.integer(
    "patience", "SECONDS", 0...86_400, default: 90,
    "How long to try again while nothing gets on: a receiver that lost its sender notices after half a minute or more.")
  static let source = CommandOption<Int>.integer("from", "ID", 0...255, default: 1, "This station.")

  public static let description = CommandDescription(
    name: "send",
    summary: "Send a file over a radio modem",
    discussion: [
      """
      FILE has 1 to \(Humane.count(FileTransferSendRequest.maximumLength)) bytes; what can be made smaller is, on its way. It has \
      arrived, whole and right, when the command ends with 0; with --profile p1 that means no more than that the modem confirmed \
      every frame. After an interruption the same command goes on where it stopped, as long as the receiver keeps what it has.
      """,
      """
      The key proves who sends, and hides nothing: whoever listens can read the file. It is read from a file or from the variable \
      \(TransferKey.variable), so that it never stands in the list of processes.
      """,
    ],
    operands: [.init("FILE", .one, "What to send.")],
    options: [
      target.description, source.description, patience.description, TransferKey.file.description,
      TransferOutput.json.description, TransferOutput.progress.description,
    ] + TransferStation.descriptions + RadioLineOptions.descriptions,
    examples: [
      ("weir send photo.jpg --to 2 --port /dev/ttyUSB0 --key-file key", "To station 2"),
      ("weir radio-sim", "Two modems to try it with, when there are none"),
    ])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    let path = arguments.operands.first ?? ""
    guard let target = arguments[target] else {
      throw UsageError(code: "usage.missing-option", message: "--to is missing", path: arguments.path)
    }
    let key = try TransferKey.read(arguments)
    let data = try SmallFile.read(path, most: FileTransferSendRequest.maximumLength)
    if data.isEmpty { throw TransferFailure.empty(path: path) }
    let local = UInt8(clamping: arguments[source])
    let request: FileTransferSendRequest
    do throws(FileTransferError) {
      request = try FileTransferSendRequest(
        data: Data(data), sourceShortID: local, targetShortID: UInt8(clamping: target), controlKey: Data(key))
    } catch {
      throw TransferFailure.failed(error)
    }
    let station = try TransferStation(arguments, partials: nil)
    let output = TransferOutput(arguments, clock: station.clock)
    output.begin(total: data.count)
    let attempts = SendAttempts(station.manager, clock: station.clock, patience: .seconds(arguments[patience]))
    await MainActor.run {
      station.manager.onEvent = { event in
        guard case .sendProgress(let progress) = event else { return }
        attempts.progress(progress.fractionCompleted)
        output.progress(progress.fractionCompleted, isWeak: nil, station)
      }
    }
    // A task of its own: a stop becomes a cancel that the other end is told of, and the radio is put back.
    let work = Task {
      try await station.run(as: local, key: key) {
        await attempts.send(request) { output.note("\($0); trying again") }
      }
    }
    let result = try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      attempts.stop()
    }
    output.finish("sent", result)
    try result.check()
    return .success
  }
}
