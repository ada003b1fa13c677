import Testing

@testable import WeirTesting

@Suite struct MarbleDiagramTests {
  private static func at(_ tick: Int, _ event: MarbleDiagram.Event) -> MarbleDiagram.Entry {
    MarbleDiagram.Entry(tick: tick, event: event)
  }

  static let readings: [(String, [MarbleDiagram.Entry], Int)] = [
    ("", [], 0),
    ("---", [], 3),
    ("a-b|", [at(1, .value("a")), at(3, .value("b")), at(4, .finish)], 4),
    (" a  - b ", [at(1, .value("a")), at(3, .value("b"))], 3),
    ("'a b-|'-x", [at(1, .value("a b-|")), at(3, .value("x"))], 3),
    ("''", [at(1, .value(""))], 1),
    ("-[a'bc'|]-", [at(2, .value("a")), at(2, .value("bc")), at(2, .finish)], 3),
    ("^--", [at(1, .failure)], 3),
    ("a,[;|]", [at(1, .value("a")), at(2, .delay), at(3, .cancel), at(3, .finish)], 3),
    ("é🟠1", [at(1, .value("é")), at(2, .value("🟠")), at(3, .value("1"))], 3),
  ]

  static let faults: [(String, MarbleSyntaxError.Fault, Int)] = [
    ("ab[c-]", .stepInGroup, 4),
    ("a[b[c]]", .nestedGroup, 3),
    ("a[ ]b", .emptyGroup, 3),
    ("ab]", .unopenedGroup, 2),
    ("a-[bc", .unclosedGroup, 2),
    ("a-'bc", .unclosedText, 2),
    ("'a''", .unclosedText, 3),
    ("a|b", .eventAfterEnd, 2),
    ("a^-|", .eventAfterEnd, 3),
    ("[|a]", .eventAfterEnd, 2),
    ("é\u{301}🟠\n", .controlCharacter, 2),
    ("a\tb", .controlCharacter, 1),
  ]

  @Test(arguments: readings)
  func notationIsRead(notation: String, entries: [MarbleDiagram.Entry], length: Int) throws {
    let diagram = try MarbleDiagram(notation)
    #expect(diagram.entries == entries)
    #expect(diagram.length == length)
    // What it prints reads back as the same diagram.
    #expect(try MarbleDiagram(diagram.description) == diagram)
  }

  @Test(arguments: faults)
  func faultsAreLocated(notation: String, fault: MarbleSyntaxError.Fault, offset: Int) {
    let error = #expect(throws: MarbleSyntaxError.self) { try MarbleDiagram(notation) }
    #expect(error == MarbleSyntaxError(fault: fault, notation: notation, offset: offset))
    #expect(error?.code.hasPrefix("marble-") == true)
  }

  @Test func consumersEventsHaveNoPlaceInInputs() {
    for (notation, offset) in [("a;", 1), ("ab,", 2)] {
      let error = #expect(throws: MarbleSyntaxError.self) { try MarbleDiagram(notation, role: .input) }
      #expect(error?.fault == .consumerEventInInput)
      #expect(error?.offset == offset)
    }
  }

  @Test func theFaultIsMarkedUnderTheText() {
    let error = #expect(throws: MarbleSyntaxError.self) { try MarbleDiagram("ab[c-]") }
    #expect(
      error?.description == """
        a group is one tick and cannot contain '-'; close it with ']' first (column 5)
          ab[c-]
              ^
        """)
  }

  @Test func alignmentGivesEachTickAColumn() throws {
    let text = MarbleDiagram.align([
      ("input 1", try MarbleDiagram("a-b|")), ("expected", try MarbleDiagram("-'long'-[b|]")),
    ])
    #expect(
      text == """
          input 1  : a-     b|
          expected : -'long'-[b|]
        """)
    for line in text.split(separator: "\n") {
      let notation = line.drop { $0 != ":" }.dropFirst()
      #expect(throws: Never.self) { try MarbleDiagram(String(notation)) }
    }
  }

  @Test func hugeDiagramsAreReadInLinearMemory() throws {
    let diagram = try MarbleDiagram(String(repeating: "a-", count: 100_000))
    #expect(diagram.length == 200_000)
    #expect(diagram.entries.count == 100_000)
  }
}
