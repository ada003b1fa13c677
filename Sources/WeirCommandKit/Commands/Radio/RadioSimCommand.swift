import Weir
import WeirRadio

/// `weir radio-sim`: two modems that are not there, on two terminals that are.
public enum RadioSimCommand: Command {
  static let loss = CommandOption<Double>.probability(
    "loss", "P", default: 0, "Part of the frames that are lost, each way.")
  static let lossRun = CommandOption<Int>.integer(
    "loss-run", "FRAMES", 1...1_000, default: 1,
    "Losses come in bad times of so many frames on average, from 2 on (Gilbert and Elliott's model).")
  static let corruption = CommandOption<Double>.probability(
    "corruption", "P", default: 0, "Part of the frames that arrive damaged.")
  static let duplicates = CommandOption<Double>.probability(
    "duplicates", "P", default: 0, "Part of the frames that arrive twice.")
  static let seed = CommandOption<UInt64>.seed(
    "seed", "S", default: 1, "What gets lost and damaged: the same for the same frames.")
  static let fault = CommandOption<[String]>.list(
    "fault", "WHAT", "Something that goes wrong once, such as a:send:3:late; see below.")
  static let duration = CommandOption<Int?>.integer(
    "for", "SECONDS", 1...1_000_000, "End by itself after so many seconds.")
  static let json = CommandOption<Bool>.flag(
    "json", "Print what is served, and at the end what happened, as JSON lines; each has a \"type\".")

  public static let description = CommandDescription(
    name: "radio-sim",
    summary: "Serve two simulated radio modems on pseudo-terminals",
    discussion: [
      """
      Prints the paths of two terminals, a and b, each with a modem that takes commands and sends frames as a real one does, at \
      the speed of the line and of the air. What one sends the other hears, with the loss that was asked for. Programs may \
      open and close the terminals as they like.
      """,
      """
      Ends at Ctrl-C, with what became of the frames. A turmass modem follows its settings RATE and FREQ: both have to be set \
      alike; with --rate or --spreading-factor its RATE means nothing.
      """,
      "A fault is " + FaultText.form + ". Commands and frames are counted since the start.",
    ],
    options: RadioLineOptions.descriptions + [
      loss.description, lossRun.description, corruption.description, duplicates.description, seed.description,
      fault.description, duration.description, json.description,
    ],
    examples: [
      ("weir radio-sim --loss 10%", "A bad day"),
      ("weir radio-sim --spreading-factor 9 --dialect rak --speed 20", "A slow radio, in a hurry"),
      ("weir radio-sim --fault b:send:2:unreported --json", "For a test"),
    ])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    let line = try RadioLineOptions(arguments)
    var faults = [FaultScript(), FaultScript()]
    for text in arguments[fault] { try FaultText.add(text, to: &faults, path: arguments.path) }
    let run = arguments[lossRun]
    let link = SimulatedLink(
      loss: run > 1 ? .gilbertElliott(mean: arguments[loss], badRun: Double(run)) : .independent(arguments[loss]),
      unseenCorruption: arguments[corruption], duplicates: arguments[duplicates])
    let simulation: RadioSimulation
    do {
      simulation = try RadioSimulation(line, link: link, seed: arguments[seed], faults: faults)
    } catch {
      throw RadioFailure(error)
    }
    let output = SharedOutput()
    try output.append(arguments[json] ? simulation.readyJSON() : simulation.readyText())
    try output.flush()
    let isOver = await simulation.serve(for: arguments[duration].map { .seconds($0) }) { text in
      var status = StatusLine.standardError(isForced: true)
      status.print(text)
    }
    try output.append(arguments[json] ? simulation.summaryJSON() : simulation.summaryText())
    try output.flush()
    if !isOver { throw CancellationError() }
    return .success
  }
}
