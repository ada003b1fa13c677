extension CommandProgram {
  /// The program `weir`.
  public static let weir = CommandProgram(
    name: "weir", version: "0.1.0", summary: "a reactive dataflow pipeline for chat messages",
    commands: [GenerateCommand.self, LinesCommand.self])
}
