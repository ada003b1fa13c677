import Testing
import WeirCommandKit

@testable import InboxScreen

/// The screen as a function of the model.
@Suite("Inbox screen") struct ScreenTests {
  private func page(_ conversations: Int, messages: Int = 3, text: String = "hello") -> InboxPage {
    var page = InboxPage()
    page.conversations = (0..<conversations).map {
      .init(
        id: "c\($0)", title: "第\($0)组 Group", unread: $0 % 3, preview: "收到，谢谢！\(text)", time: 1_718_003_600_000)
    }
    page.count = conversations
    page.unread = 7
    page.selected = conversations > 0 ? "c0" : nil
    page.messages = (0..<messages).map {
      .init(id: "m\($0)", sender: "林小雨", text: "\(text) \($0)", isMine: $0 % 2 == 0, time: 1_718_003_600_000)
    }
    return page
  }

  private func model(_ page: InboxPage?, columns: Int, rows: Int, _ keys: [Key] = []) -> InboxModel {
    var model = InboxModel(columns: columns, rows: rows)
    if let page { _ = model.take(.page(page)) }
    for key in keys { _ = model.take(.key(key)) }
    return model
  }

  @Test(
    "every line is exactly as wide as the terminal and there are as many as it has, with wide characters at any edge")
  func exactSize() {
    let texts = [
      "hello", "明天几点出发明天几点出发明天几点出发", "👨‍👩‍👧‍👦 e\u{301} \u{1b}[31mred\u{7}", String(repeating: "宽w", count: 300), "",
    ]
    for columns in [1, 2, 3, 5, 8, 13, 21, 34, 58, 59, 60, 61, 62, 80, 133] {
      for rows in [1, 2, 3, 7, 24] {
        for (number, text) in texts.enumerated() {
          for keys in [[], [Key.tab], [.down, .tab, .pageUp]] {
            let model = model(page(number * 9, messages: number * 11, text: text), columns: columns, rows: rows, keys)
            let lines = InboxScreen.lines(model)
            #expect(lines.count == rows)
            let widths = Set(lines.map { DisplayWidth.of($0.text) })
            #expect(widths == [columns], "\(columns)x\(rows), text \(number)")
            #expect(!lines.contains { $0.text.contains("\u{1b}") || $0.text.contains("\u{7}") })
          }
        }
      }
    }
  }

  @Test("list and messages stand side by side where there is room, else the one that has the focus")
  func panes() {
    let wide = InboxScreen.lines(model(page(3), columns: 100, rows: 12)).map(\.text)
    #expect(wide[0].contains("3 conversations  7 unread"))
    #expect(wide[1].contains("▸ 第0组 Group") && wide.last?.contains("q quit") == true)
    #expect(wide.contains { $0.contains("│") && $0.contains("林小雨: hello 2") })
    let list = InboxScreen.lines(model(page(3), columns: 40, rows: 12)).map(\.text).joined()
    #expect(list.contains("第0组") && !list.contains("hello 2"))
    let messages = InboxScreen.lines(model(page(3), columns: 40, rows: 12, [.enter])).map(\.text).joined()
    #expect(messages.contains("hello 2") && !messages.contains("第0组"))
  }

  @Test("a number of unread messages is a range where messages are known to exist that have not come")
  func ranges() {
    var page = page(2)
    (page.unread, page.unfetched) = (7, 3)
    (page.conversations[0].unread, page.conversations[0].unfetched) = (0, 4)
    page.conversations[1].unfetched = .max
    let lines = InboxScreen.lines(model(page, columns: 100, rows: 12)).map(\.text)
    #expect(lines[0].contains("7–10 unread") && lines[1].contains(" 0–4 "))
    #expect(lines[3].contains("–\(Int64.max)"))
  }

  @Test("the selection stays with its conversation while the list moves, and is always on the screen")
  func selection() {
    var model = model(page(40), columns: 80, rows: 12, [.down, .down])
    #expect(model.selected == "c2")
    var moved = page(40)
    moved.conversations.reverse()
    #expect(model.take(.page(moved)) == nil && model.selected == "c2")
    #expect(InboxScreen.lines(model).contains { $0.text.hasPrefix("▸ 第2组") })
    #expect(model.take(.key(.up)) == .select("c3"))
    #expect(model.take(.key(.letter("G"))) == .select("c0") && model.take(.key(.end)) == nil)
    #expect(InboxScreen.lines(model).contains { $0.text.hasPrefix("▸ 第0组") })
    // The messages of another conversation are not shown under its name.
    _ = model.take(.key(.up))
    #expect(!InboxScreen.lines(model).contains { $0.text.contains("林小雨") })
  }

  @Test("the newest message is at the bottom, and scrolling ends at the oldest")
  func scrolling() {
    func shown(_ keys: [Key]) -> [String] {
      InboxScreen.lines(model(page(1, messages: 50), columns: 100, rows: 12, [.tab] + keys)).map(\.text)
        .filter { $0.contains("hello") }.compactMap { $0.split(separator: " ").last.map(String.init) }
    }
    #expect(shown([]).last == "49")
    #expect(shown([.up, .up]).last == "47")
    #expect(shown([.home]).first == "0" && shown([.home]).count == shown([]).count)
    #expect(shown([.home, .end]).last == "49")
  }

  @Test("long messages are broken at blanks, wide characters never across the edge, and end with an ellipsis")
  func wrapping() {
    #expect(InboxScreen.wrapped("one two three", width: 8) == ["one two", "three"])
    #expect(InboxScreen.wrapped("明天几点", width: 5) == ["明天", "几点"])
    let long = InboxScreen.wrapped(String(repeating: "word ", count: 90), width: 20)
    #expect(long.count == InboxScreen.longestMessage && long.last?.hasSuffix("…") == true)
    #expect(long.allSatisfy { DisplayWidth.of($0) <= 20 })
  }

  @Test(
    "times are told by day and minute",
    arguments: [(1_718_003_600_000, "06-10 07:13"), (951_782_400_000, "02-29 00:00"), (1, "01-01 00:00")]
      as [(Int64, String)])
  func times(milliseconds: Int64, text: String) {
    #expect(InboxScreen.time(milliseconds) == text)
    #expect(InboxScreen.time(0).count == text.count)
  }

  @Test("what a terminal sends becomes keys, in whatever pieces it comes")
  func keys() {
    let bytes: [UInt8] = Array("q\u{1b}[A\u{1b}[B\u{1b}OC\u{1b}[5~\u{1b}[6~\u{1b}[1~\u{1b}[F\u{1b}[200~j\r\t\u{3}".utf8)
    let expected: [Key] = [
      .letter("q"), .up, .down, .right, .pageUp, .pageDown, .home, .end, .letter("j"), .enter, .tab, .interrupt,
    ]
    var decoder = KeyDecoder()
    #expect(decoder.take(bytes) == expected)
    // Cut anywhere but right behind an escape, where the key of that name cannot be told.
    for cut in 1..<bytes.count where bytes[cut - 1] != 0x1b {
      var decoder = KeyDecoder()
      #expect(decoder.take(bytes[..<cut]) + decoder.take(bytes[cut...]) == expected, "cut at \(cut)")
    }
    #expect(decoder.take([0x1b]) == [.escape] && decoder.take([0x1b, 0x6a]) == [.escape, .letter("j")])
    #expect(decoder.take([0xc3, 0xa9, 0xff]).isEmpty)
    _ = decoder.take([0x1b, 0x5b] + [UInt8](repeating: 0x30, count: 40))
    #expect(decoder.take([0x71]) == [.letter("q")])
  }

  @Test("keys and signals end it; trouble is shown until the next page")
  func ends() {
    var model = model(page(2), columns: 80, rows: 12)
    #expect(model.take(.key(.interrupt)) == .quit && model.take(.key(.letter("q"))) == .quit)
    #expect(model.take(.stop) == .quit)
    _ = model.take(.trouble("the disk is gone"))
    #expect(InboxScreen.lines(model).last?.text.contains("the disk is gone") == true)
    _ = model.take(.page(page(2)))
    #expect(InboxScreen.lines(model).last?.text.contains("q quit") == true)
  }
}
