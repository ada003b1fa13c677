import Testing
import Weir

/// Descriptions of blueprints, word for word.
@Suite struct DescribeTests {
  private func blueprint() throws -> Blueprint<Void> {
    try Blueprint("chat \"of\" <all>") { graph in
      let live = graph.source("live", of: Int.self, limit: .elements(8)) { _ in }
      let merged = graph.merge("merge|in", live, graph.source("history", [Int]()))
      let called = merged.via("call #1", SlowEcho(), parallel: .lanes(3, by: { UInt64($0) }))
      let fork = called.boundary("to\ndisk", limit: LinkLimit(elements: 10, bytes: 80)).broadcast(
        "fan", second: Leg("lossy", limit: .elements(4), policy: .dropOldest))
      fork.first.via("pairs", Pairs()).ignore("rows\\")
      fork.second.ignore("radio")
      graph.deadLetters("dead", limit: .elements(2)).ignore("grave")
    }
  }

  @Test func `text for people`() throws {
    let text = try blueprint().describe()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines == Self.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }

  @Test func `graphviz, with quotes and backslashes escaped`() throws {
    let text = try blueprint().describe(as: .dot)
    #expect(text == Self.dot)
  }

  @Test func `mermaid, with everything escaped that could end a label`() throws {
    let text = try blueprint().describe(as: .mermaid)
    #expect(text == Self.mermaid)
  }

  @Test func `the same blueprint gives the same description`() throws {
    for form in DescriptionForm.allCases {
      let (first, second) = (try blueprint().describe(as: form), try blueprint().describe(as: form))
      #expect(first == second)
    }
  }

  @Test func `hostile names leave no way out of a label`() throws {
    let names = [
      "\"];x[\"", "a\\", "\\\"", "]]-->z", "</b>", "line\r\nbreak", "`md`", "#quot;", "%%{init}%%", "ü\u{202E}",
    ]
    let hostile = try Blueprint("\" ]; } evil") { graph in
      for (index, name) in names.enumerated() { graph.source("s\(index)", [1]).ignore(name) }
    }
    for line in hostile.describe(as: .dot).split(separator: "\n") {
      // Outside of escapes, quotes come in pairs: none of a name's own is left.
      var quotes = 0
      var isEscaped = false
      for character in line {
        if character == "\"" && !isEscaped { quotes += 1 }
        isEscaped = character == "\\" && !isEscaped
      }
      #expect(quotes % 2 == 0)
    }
    for line in hostile.describe(as: .mermaid).split(separator: "\n").dropFirst(3) {
      #expect(line.count { $0 == "\"" } == (line.contains("n") && line.contains("\"") ? 2 : 0))
      let label = line.split(separator: "\"").dropFirst().first ?? ""
      #expect(!label.replacing("<br/>", with: "").contains { "<>[]{}|`\\".contains($0) })
    }
  }

  @Test func `the memory bound is the sum of its parts and never traps`() throws {
    let bounded = try Blueprint("bounded") { graph in
      graph.source("numbers", [Int]()).boundary("one", limit: .elements(100)).via("pairs", Pairs()).ignore("end")
    }
    let small = bounded.memoryBound(chunkSize: 10)
    let large = bounded.memoryBound(chunkSize: 1_000)
    // 100 in the link, one chunk on each side of it, one chunk on each edge in a task, one element in the stage.
    #expect(small.elements == 100 + 2 * 10 + 10 + 10 + 1)
    let (most, least) = (try #require(large.elements), try #require(small.elements))
    #expect(most > least)
    #expect(small.description.hasPrefix("\(least) elements, "))
    let huge = try Blueprint("huge") { graph in
      graph.source("a", [Int]()).boundary("one", limit: .elements(.max)).boundary("two", limit: .elements(.max))
        .ignore("end")
    }
    #expect(huge.memoryBound(chunkSize: .max).elements == .max)
    #expect(huge.memoryBound().bytes == .max)
    let process = try Blueprint("process") { graph in
      graph.source("numbers", [Int]()).via("what it likes", Forward()).ignore("end")
    }
    let asynchronous = try [0, 10, nil].map { (holds: Int?) in
      try Blueprint("asynchronous") { graph in
        graph.source("numbers", [Int]()).via("many", ManyLater(holds: holds), parallel: .ordered(3)).ignore("end")
      }.memoryBound().elements
    }
    let none = try #require(asynchronous[0])
    #expect(asynchronous[1] == none + 30 && asynchronous[2] == nil)
    #expect(process.memoryBound().elements == nil)
    #expect(process.memoryBound().description.contains("\"what it likes\""))
  }
}

extension DescribeTests {
  fileprivate static let text = #"""
    graph "chat "of" <all>": 11 nodes, 9 edges
      live      source        process
                  => merge|in  [Int; 8 elements]
      history   source        collection
                  ·> merge|in  [Int]
      merge|in  fanIn         merge
                  => call #1  [Int; 256 elements]
      call #1   asynchronous  SlowEcho, 3 tasks, holds up to 96
                  => to disk  [Int; 256 elements]
      to disk   boundary      boundary
                  => fan  [Int; to disk: 10 elements, 80 bytes]
      fan       fanOut        broadcast
                  => pairs  [Int; leg first; 256 elements]
                  => radio  [Int; leg lossy; 4 elements; drop oldest]
      pairs     stage         Pairs, holds up to 1
                  ·> rows\  [Int]
      rows\     sink          closure
      radio     sink          closure
      dead      source        dead letters
                  => grave  [DeadLetter; 2 elements; drop oldest]
      grave     sink          closure
      => link between two tasks, ·> same task
    memory bound: 2985 elements, 132.3 KiB

    """#

  fileprivate static let dot = #"""
    digraph "chat \"of\" <all>" {
      rankdir=LR;
      node [fontname="Helvetica", fontsize=11, style=filled, fillcolor="#f4f6f8", color="#51606e"];
      edge [fontname="Helvetica", fontsize=9, color="#51606e"];
      n0 [label="live\nprocess", shape=cds];
      n1 [label="history\ncollection", shape=cds];
      n2 [label="merge|in\nmerge", shape=invtriangle];
      n3 [label="call #1\nSlowEcho\n×3", shape=component];
      n4 [label="to disk\nboundary", shape=cylinder];
      n5 [label="fan\nbroadcast", shape=triangle];
      n6 [label="pairs\nPairs", shape=box];
      n7 [label="rows\\\nclosure", shape=house];
      n8 [label="radio\nclosure", shape=house];
      n9 [label="dead\ndead letters", shape=cds];
      n10 [label="grave\nclosure", shape=house];
      n0 -> n2 [label="Int\n8 elements", style=solid];
      n1 -> n2 [label="Int", style=dashed];
      n2 -> n3 [label="Int\n256 elements", style=solid];
      n3 -> n4 [label="Int\n256 elements", style=solid];
      n4 -> n5 [label="Int\nto disk: 10 elements, 80 bytes", style=solid];
      n5 -> n6 [label="Int\nleg first\n256 elements", style=solid];
      n6 -> n7 [label="Int", style=dashed];
      n5 -> n8 [label="Int\nleg lossy\n4 elements\ndrop oldest", style=solid];
      n9 -> n10 [label="DeadLetter\n2 elements\ndrop oldest", style=dotted];
    }

    """#

  fileprivate static let mermaid = #"""
    ---
    title: "chat  of  <all>"
    ---
    flowchart LR
      n0(["live<br/>process"])
      n1(["history<br/>collection"])
      n2{{"merge#124;in<br/>merge"}}
      n3[["call #35;1<br/>SlowEcho<br/>×3"]]
      n4[("to disk<br/>boundary")]
      n5{{"fan<br/>broadcast"}}
      n6["pairs<br/>Pairs"]
      n7[/"rows#92;<br/>closure"\]
      n8[/"radio<br/>closure"\]
      n9(["dead<br/>dead letters"])
      n10[/"grave<br/>closure"\]
      n0 -->|"Int<br/>8 elements"| n2
      n1 -.->|"Int"| n2
      n2 -->|"Int<br/>256 elements"| n3
      n3 -->|"Int<br/>256 elements"| n4
      n4 -->|"Int<br/>to disk: 10 elements, 80 bytes"| n5
      n5 -->|"Int<br/>leg first<br/>256 elements"| n6
      n6 -.->|"Int"| n7
      n5 -->|"Int<br/>leg lossy<br/>4 elements<br/>drop oldest"| n8
      n9 --x|"DeadLetter<br/>2 elements<br/>drop oldest"| n10

    """#
}

/// Makes any number of elements of one, as far as its word goes.
private struct ManyLater: AsyncStage {
  let holds: Int?

  mutating func process(_ element: Int, _ emit: (Int) -> Void) async { emit(element) }
}
