/// Lays out help from the same descriptions the parser reads.
public struct HelpPage: Sendable {
  private let root: CommandDescription
  private let version: String
  private let width: Int

  /// Help for a program. Lines are at most `width` cells.
  public init(_ root: CommandDescription, version: String, width: Int = 80) {
    self.root = root
    self.version = version
    self.width = width
  }

  /// The page of the command at `path`, or of its nearest known parent; it ends with a line break.
  public func text(for path: [String] = []) -> String {
    var command = root
    var names = [root.name]
    for name in path {
      guard let next = command.subcommands.first(where: { $0.name == name }) else { break }
      command = next
      names.append(name)
    }
    let sections = path.isEmpty ? programPage() : commandPage(command, names)
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private func programPage() -> [[String]] {
    [wrap("\(root.name) \(version): \(root.summary).", indent: 0), usage(root, [root.name])]
      + root.discussion.map(paragraph)
      + [
        definitions("Commands:", commands(of: root) + [("help [COMMAND]", "Show help for a command")]),
        definitions("Options:", standardOptions + [("    --version", "Show the version")]),
        examples(root),
        definitions("Exit codes:", ExitCode.allCases.map { (aligned($0.rawValue), $0.summary) }),
      ]
  }

  private func commandPage(_ command: CommandDescription, _ names: [String]) -> [[String]] {
    [wrap("\(names.joined(separator: " ")): \(command.summary).", indent: 0), usage(command, names)]
      + command.discussion.map(paragraph)
      + [
        definitions("Commands:", commands(of: command)),
        definitions("Arguments:", command.operands.map { ($0.name, $0.summary) }),
        definitions("Options:", command.options.map(row) + standardOptions),
        examples(command),
      ]
  }

  private var standardOptions: [(String, String)] { [("-h, --help", "Show this help")] }

  private func commands(of command: CommandDescription) -> [(String, String)] {
    command.subcommands.map { ($0.name, $0.summary) }
  }

  private func row(_ option: OptionDescription) -> (String, String) {
    let short = option.short.map { "-\($0), " } ?? "    "
    var summary = option.summary
    if option.isRepeatable { summary += " May be repeated." }
    if let fallback = option.defaultText { summary += " [default: \(fallback)]" }
    return ("\(short)--\(option.name)" + (option.placeholder.map { " \($0)" } ?? ""), summary)
  }

  private func aligned(_ number: Int32) -> String {
    String(repeating: " ", count: max(0, 3 - String(number).count)) + String(number)
  }

  private func usage(_ command: CommandDescription, _ names: [String]) -> [String] {
    var words = names
    if !command.subcommands.isEmpty { words.append("<command>") }
    words.append("[options]")
    for operand in command.operands {
      switch operand.count {
      case .one: words.append(operand.name)
      case .optional: words.append("[\(operand.name)]")
      case .many: words.append("[\(operand.name)...]")
      case .oneOrMore: words.append("\(operand.name)...")
      }
    }
    return ["Usage: " + words.joined(separator: " ")]
  }

  private func examples(_ command: CommandDescription) -> [String] {
    guard !command.examples.isEmpty else { return [] }
    return ["Examples:"] + command.examples.flatMap { wrap($0.summary + ":", indent: 2) + ["    " + $0.line] }
  }

  private func paragraph(_ text: String) -> [String] {
    text.hasPrefix(" ")
      ? text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) : wrap(text, indent: 0)
  }

  /// Terms on the left, explanations in a column on the right; a long term gets a line of its own.
  private func definitions(_ title: String, _ rows: [(String, String)]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let column = min(rows.reduce(0) { max($0, DisplayWidth.of($1.0)) } + 4, 28)
    var lines = [title]
    for (term, explanation) in rows {
      var body = wrap(explanation, indent: column)
      let head = "  " + term
      if DisplayWidth.of(head) + 2 <= column, let first = body.first {
        body[0] = head + String(first.dropFirst(DisplayWidth.of(head)))
        lines += body
      } else {
        lines += [head] + body
      }
    }
    return lines
  }

  private func wrap(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width {
        lines.append(margin + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [margin + line]
  }
}
