/// A command: the one source of its parsing and of its help.
public struct CommandDescription: Sendable {
  /// An argument that is not an option.
  public struct Operand: Sendable {
    /// How many of it there may be.
    public enum Count: Sendable {
      /// Exactly one.
      case one
      /// One or none.
      case optional
      /// Any number.
      case many
      /// At least one.
      case oneOrMore
    }
    /// What stands for it in help, in capitals.
    public let name: String
    /// How many there may be.
    public let count: Count
    /// One line for the help page.
    public let summary: String

    /// Only the last operand of a command may be `optional`, `many` or `oneOrMore`.
    public init(_ name: String, _ count: Count = .one, _ summary: String) {
      self.name = name
      self.count = count
      self.summary = summary
    }
  }

  /// What is typed.
  public let name: String
  /// One line, starting with a verb, without a full stop.
  public let summary: String
  /// Paragraphs for the command's own page; one that starts with a space is laid out as it stands.
  public let discussion: [String]
  /// Arguments that are no options, in order.
  public let operands: [Operand]
  /// The command's own options; `--help` is not among them.
  public let options: [OptionDescription]
  /// Command lines worth copying, each with what it does.
  public let examples: [(line: String, summary: String)]
  /// Commands below it; a command that has some takes no operands itself.
  public let subcommands: [CommandDescription]

  /// A command with its own operands and options, or a group of subcommands.
  public init(
    name: String, summary: String, discussion: [String] = [], operands: [Operand] = [],
    options: [OptionDescription] = [], examples: [(line: String, summary: String)] = [],
    subcommands: [CommandDescription] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.operands = operands
    self.options = options
    self.examples = examples
    self.subcommands = subcommands
  }
}

/// A command line that was understood.
public struct ParsedArguments: Sendable {
  /// The command's names below the program, such as `["generate"]`.
  public let path: [String]
  /// What is no option, in order.
  public let operands: [String]
  fileprivate let given: [String: [String]]

  /// The option's value, or its default.
  public subscript<Value>(option: CommandOption<Value>) -> Value { option.read(given[option.description.name] ?? []) }

  /// True when the option was on the command line.
  public func contains<Value>(_ option: CommandOption<Value>) -> Bool { given[option.description.name] != nil }
}

/// What a command line asks for.
public enum Invocation: Sendable {
  /// Run the command.
  case run(ParsedArguments)
  /// Print the help page of the command at this path; empty for the program's own.
  case help([String])
  /// Print the version.
  case version
}

/// A command line that was not understood; exit code 64.
public struct UsageError: CommandError, Equatable {
  public let code: String
  public let message: String
  /// The command that was being parsed; empty for the program itself.
  public let path: [String]
  public var remedy: String? { "See '\((["weir", "help"] + path).joined(separator: " "))'." }
  public var exitCode: ExitCode { .usage }

  /// An error a command finds in its own arguments, after parsing.
  public init(code: String = "usage.conflict", message: String, path: [String]) {
    self.code = code
    self.message = message
    self.path = path
  }
}

/// Parses command lines: subcommands, `--flag`, `--option value`, `--option=value`, `-o value`, `--`, operands.
///
/// Options may stand before or after operands, not before the command. Long names are never abbreviated, so that a
/// later option cannot change what a script means. `-` alone is an operand. `-h`, `--help` and `help COMMAND` ask for
/// help, `--version` for the version.
public struct ArgumentParser: Sendable {
  private let root: CommandDescription

  /// A parser for a program; `root` is the program itself.
  public init(_ root: CommandDescription) {
    self.root = root
  }

  /// Understands a command line without the program's name.
  public func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var parsing = Parsing(command: root, rest: arguments[...])
    if arguments.first == "help" { return .help(try helpPath(Array(arguments.dropFirst()))) }
    while let argument = parsing.rest.popFirst() {
      if let invocation = try parsing.take(argument) { return invocation }
    }
    return .run(try parsing.finish())
  }

  private func helpPath(_ names: [String]) throws(UsageError) -> [String] {
    let commands = names.filter { $0 != "-h" && $0 != "--help" }
    // Help about help is the program's own page: it says what `help` does.
    if commands == ["help"] { return [] }
    var parsing = Parsing(command: root, rest: [])
    for name in commands { try parsing.enter(name) }
    return parsing.path
  }
}

/// The state of one parse.
private struct Parsing {
  var command: CommandDescription
  var rest: ArraySlice<String>
  var path: [String] = []
  var operands: [String] = []
  var given: [String: [String]] = [:]
  var optionsEnded = false

  /// Takes one argument; a result ends the parse.
  mutating func take(_ argument: String) throws(UsageError) -> Invocation? {
    guard !optionsEnded, argument.hasPrefix("-"), argument != "-" else {
      if !command.subcommands.isEmpty { try enter(argument) } else { try addOperand(argument) }
      return nil
    }
    switch argument {
    case "--": optionsEnded = true
    case "-h", "--help": return .help(path)
    case "--version" where path.isEmpty: return .version
    default: try takeOption(argument)
    }
    return nil
  }

  mutating func enter(_ name: String) throws(UsageError) {
    guard !command.subcommands.isEmpty else {
      throw error("usage.unexpected-argument", "'\(command.name)' has no command '\(printable(name))'")
    }
    guard let subcommand = command.subcommands.first(where: { $0.name == name }) else {
      let names = command.subcommands.map(\.name) + (path.isEmpty ? ["help"] : [])
      let hint = Suggestion.nearest(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw error("usage.unknown-command", "unknown command '\(printable(name))'" + hint)
    }
    command = subcommand
    path.append(name)
  }

  private mutating func addOperand(_ argument: String) throws(UsageError) {
    let isOpenEnded = command.operands.last.map { $0.count == .many || $0.count == .oneOrMore } ?? false
    guard isOpenEnded || operands.count < command.operands.count else {
      throw error("usage.unexpected-argument", "unexpected argument '\(printable(argument))'")
    }
    operands.append(argument)
  }

  private mutating func takeOption(_ argument: String) throws(UsageError) {
    let isLong = argument.hasPrefix("--")
    let equals = argument.firstIndex(of: "=")
    let typed = String(argument[..<(equals ?? argument.endIndex)])
    let attached = equals.map { String(argument[argument.index(after: $0)...]) }
    let found = command.options.first { isLong ? "--\($0.name)" == typed : $0.short.map { "-\($0)" } == typed }
    guard let option = found else { throw unknownOption(typed) }
    let name = "--\(option.name)"
    guard option.isRepeatable || given[option.name] == nil else {
      throw error("usage.repeated-option", "option \(name) is given twice")
    }
    guard let placeholder = option.placeholder else {
      guard attached == nil else { throw error("usage.unexpected-value", "option \(name) takes no value") }
      given[option.name, default: []].append("")
      return
    }
    let value: String
    if let attached { value = attached } else { value = try followingValue(of: name, placeholder) }
    if let expectation = option.complaint(value) {
      throw error("usage.bad-value", "option \(name): '\(printable(value))' is not \(expectation)")
    }
    given[option.name, default: []].append(value)
  }

  /// The next argument as a value; one that looks like an option must be attached with `=` to be one.
  private mutating func followingValue(of name: String, _ placeholder: String) throws(UsageError) -> String {
    guard let next = rest.first else {
      throw error("usage.missing-value", "option \(name) needs a value: \(name) \(placeholder)")
    }
    guard !next.hasPrefix("--") else {
      let shown = printable(next)
      throw error(
        "usage.missing-value",
        "option \(name) needs a value, but '\(shown)' follows; write \(name)=\(shown) if that is the value")
    }
    rest.removeFirst()
    return next
  }

  func finish() throws(UsageError) -> ParsedArguments {
    guard command.subcommands.isEmpty else {
      throw error("usage.missing-command", path.isEmpty ? "a command is missing" : "'\(command.name)' needs a command")
    }
    for (index, operand) in command.operands.enumerated() where index >= operands.count {
      guard operand.count == .one || operand.count == .oneOrMore else { continue }
      throw error("usage.missing-argument", "\(operand.name) is missing")
    }
    return ParsedArguments(path: path, operands: operands, given: given)
  }

  private func unknownOption(_ typed: String) -> UsageError {
    let names = command.options.map { "--\($0.name)" } + ["--help"] + (path.isEmpty ? ["--version"] : [])
    var hint = Suggestion.nearest(to: typed, in: names).map { "; did you mean \($0)?" } ?? ""
    if hint.isEmpty, !command.subcommands.isEmpty { hint = "; a command's options go after its name" }
    return error("usage.unknown-option", "unknown option \(printable(typed))" + hint)
  }

  private func error(_ code: String, _ message: String) -> UsageError {
    UsageError(code: code, message: message, path: path)
  }
}
