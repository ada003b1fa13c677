import CZstd
import WeirStore

extension CommandProgram {
  /// The program `weir`.
  public static let weir = CommandProgram(
    name: "weir", version: "0.1.0",
    libraries: [
      "SQLite \(SQLiteLibrary.version)",
      "zstd \(String(cString: ZSTD_versionString()))",
    ] + SQLiteLibrary.notices().map { "notice: \($0.message) [\($0.code)]" },
    summary: "a reactive dataflow pipeline for chat messages",
    discussion: [
      """
      Start with 'weir replay': it reads JSON lines as OpenIM's callbacks deliver them and takes them through decoding, \
      deduplication, merge hooks and a SQLite projection, and says what became of every line.
      """
    ],
    examples: [
      ("weir generate -n 5000 -o chat.jsonl && weir replay chat.jsonl", "Something to see"),
      ("weir graph --as mermaid", "The graph it runs"),
    ],
    commands: [
      ReplayCommand.self, InspectCommand.self, SearchCommand.self, HistoryCommand.self, GraphCommand.self,
      GenerateCommand.self, SendCommand.self, ReceiveCommand.self, RadioSimCommand.self,
    ])
}
