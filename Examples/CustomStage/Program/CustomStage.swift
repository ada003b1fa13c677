import CustomStages
import Weir
import WeirTesting

/// Verifies three stages of one's own with the rules R01 to R22, then runs them in a graph.
@main
struct CustomStage {
  static let meanings = ["weir": "a low dam that governs a river's flow", "lease": "a right for a while"]

  nonisolated static func main() async throws {
    let lines = ["weir and lease", "a weir", "no lease"]
    let words = try verify("Words", stage: { Words() }, inputs: { lines })
    let lookUp = try verify(
      "LookUp", async: { LookUp { meanings[$0] } }, inputs: { ["weir", "none", "lease"] })
    let couplets = try verify("Couplets", process: { Couplets() }, inputs: { lines })
    for report in [words, lookUp, couplets] { print(report) }

    let blueprint = try Blueprint("dictionary") { graph in
      graph.source("lines", lines)
        .via("words", Words())
        .via("look up", LookUp { meanings[$0] }, parallel: .ordered(4))
        .via("couplets", Couplets())
        .sink("print") { print($0) }
    }
    try await blueprint.run()
  }
}
