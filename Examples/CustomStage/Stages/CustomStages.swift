import Weir

/// A stage of one's own: words of a text, one by one. A plain struct; `emit` as often as you like.
public struct Words: Stage {
  public init() {}

  public mutating func process(_ element: String, _ emit: (String) -> Void) {
    for word in element.split(separator: " ") { emit(String(word)) }
  }
}

/// An asynchronous stage: looks each word up somewhere that takes a while.
public struct LookUp: AsyncStage {
  private let dictionary: @Sendable (String) async throws -> String?

  public init(_ dictionary: @escaping @Sendable (String) async throws -> String?) { self.dictionary = dictionary }

  public mutating func process(_ element: String, _ emit: (String) -> Void) async throws {
    if let meaning = try await dictionary(element) { emit("\(element) = \(meaning)") }
  }
}

/// A process: reads when it likes and sends when it likes. Here: pairs of lines, the last one alone if need be.
public struct Couplets: Process {
  public init() {}

  public func run(_ input: ProcessInput<String>, _ output: ProcessOutput<String>) async throws {
    var first: String?
    for try await line in input {
      guard let held = first else {
        first = line
        continue
      }
      first = nil
      if !(await output.send("\(held) / \(line)")) { return }
    }
    if let first { await output.send(first) }
  }
}
