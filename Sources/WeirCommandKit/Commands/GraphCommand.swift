import Weir
import WeirChat
import WeirStore
import WeirTrace

/// `weir graph`: describes the graph that `weir replay` runs.
public enum GraphCommand: Command {
  static let form = CommandOption<String>.choice(
    "as", "FORM", of: DescriptionForm.allCases.map(\.rawValue) + ["svg"],
    "text for people, svg for a picture, or the source of one for dot (Graphviz) or mermaid.")

  public static let description = CommandDescription(
    name: "graph",
    summary: "Describe the graph that replay runs",
    discussion: [
      """
      Prints its nodes, what flows between them, the limits of the links and the memory bound that follows from them. \
      Nothing is run.
      """
    ],
    options: [form.description],
    examples: [("weir graph --as svg > graph.svg", "A picture")])

  public static func run(_ arguments: ParsedArguments) async throws -> ExitCode {
    let output = SharedOutput()
    let blueprint = try blueprint()
    if arguments[form] == "svg" {
      try output.append(GraphDrawing(blueprint).svg)
    } else {
      try output.append(blueprint.describe(as: DescriptionForm(rawValue: arguments[form]) ?? .text))
    }
    try output.flush()
    return .success
  }

  /// The graph with a store that takes nothing: it is described, not run.
  static func blueprint() throws -> Blueprint<Void> {
    let tally = ReplayTally()
    let refusals = RefusalLog(writer: nil)
    let options = ReplayOptions(inputs: [], store: "", account: "")
    let graph = ReplayGraph(
      ingest: LineIngest(
        inputs: [], settings: .init(), rate: nil, clock: .continuous, tally: tally, refusals: refusals,
        notices: Notices()),
      decoder: OpenIMCallbackDecoder(account: ""), hooks: MergeHooks(), names: [], tally: tally, refusals: refusals,
      supervision: options.supervision,
      projection: ProjectionStage { (_) async throws(StoreError) in CommitResult() },
      printer: HintPrinter(form: .none, output: SharedOutput(), tally: tally))
    return try graph.blueprint()
  }
}
