import Testing
import WeirStore

@testable import WeirChat

@Suite("What a search finds")
struct SearchMeaningTests {
  /// Texts by id, and the ids that each query finds, the latest first.
  private static let texts = [
    ("plain", "The invoice for Müller & Söhne is due"), ("hello", "Hello, World! see you at 15:30"),
    ("cjk", "晚上七点在老地方见，带上伞 ☔️"), ("mixed", "新的iPhone手机到了 v2.0"), ("wide", "ＨＥＬＬＯ　１２３ カタカナ"),
    ("half", "ｶﾞｲﾄﾞ ﾊﾟﾝ"), ("parts", "ハ\u{309A}ン e\u{301}te\u{301} \u{1112}\u{1161}\u{11AB}국"), ("korean", "안녕하세요 여러분"),
    ("emoji", "party 🎉👍🏽 ok"), ("case", "STRASSE und Straße, ΟΔΟΣ"), ("russian", "Ёлка и ещё мой дом"),
    ("thai", "สวัสดีครับ"), ("vietnam", "Đặng Thái Sơn"), ("turkish", "İstanbul"),
    ("syntax", "a NOT b OR \"c d\" (e) near^ -f *"),
    ("arabic", "السَّلامُ عليكم"), ("japanese", "東京タワーへ行きました"), ("code", "let snake_case = foo.bar(42)"),
  ]
  private static let queries: [(query: String, found: [String])] = [
    ("invoice", ["plain"]), ("INVO", ["plain"]), ("voice", []), ("muller", ["plain"]), ("MÜLL", ["plain"]),
    ("invoice due", ["plain"]), ("due invoice", ["plain"]), ("invoice later", []), ("hello", ["wide", "hello"]),
    ("hell", ["wide", "hello"]), ("\"hell\"", []), ("\"hello world\"", ["hello"]), ("“world see”", ["hello"]),
    ("\"world hello\"", []), ("15:30", ["hello"]), ("15:3", []), ("30:15", []),
    ("见", ["cjk"]), ("老地方", ["cjk"]), ("方老", []), ("地方见带", ["cjk"]), ("☔", ["cjk"]), ("晚上 伞", ["cjk"]),
    ("伞 晚上", ["cjk"]), ("手机", ["mixed"]), ("iphone手机", ["mixed"]), ("phone手机", []), ("iphone 到", ["mixed"]),
    ("v2.0", ["mixed"]), ("2.0", []), ("１２３", ["wide"]), ("123", ["wide"]), ("カタカナ", ["wide"]), ("ｶﾀｶﾅ", ["wide"]),
    ("ガイド", ["half"]), ("パン", ["parts", "half"]), ("ｶﾞ", ["half"]), ("カ", ["wide"]), ("été", ["parts"]),
    ("ete", ["parts"]),
    ("한국", ["parts"]), ("국", ["parts"]), ("하세", ["korean"]), ("녕하", ["korean"]), ("👍", ["emoji"]), ("🎉👍🏿", ["emoji"]),
    ("🎂", []), ("strasse", ["case"]), ("straße", ["case"]), ("οδος", ["case"]), ("οδό", ["case"]),
    ("елка", ["russian"]),
    ("еще", ["russian"]), ("мои", ["russian"]), ("สวัส", ["thai"]), ("ดีครับ", ["thai"]), ("dang thai", ["vietnam"]),
    ("istan", ["turkish"]), ("ISTANBUL", ["turkish"]), ("not", ["syntax"]), ("OR", ["syntax"]), ("NEAR", ["syntax"]),
    ("السلام", ["arabic"]), ("行き", ["japanese"]), ("タワーへ", ["japanese"]), ("京", ["japanese"]), ("snake_case", ["code"]),
    ("foo.bar", ["code"]), ("bar(42)", ["code"]), ("p", []), ("pa", ["emoji"]), ("u", []), ("\"see you", ["hello"]),
    ("place:c1", []), ("{text} : hello", []), ("hello*", ["wide", "hello"]), ("hello AND world", []),
    ("hello) OR (invoice", []), ("\"\" \"\"\" hello", ["wide", "hello"]), ("'; DROP TABLE messages; --", []),
    ("hello\u{0}world", ["hello"]), ("^hello", ["wide", "hello"]), ("-hello +world", ["hello"]),
  ]

  @Test("case, width, accents, scripts without spaces, phrases and beginnings of words, with and without the index")
  func meaning() async throws {
    let rig = try await SearchRig()
    _ = try await rig.store.apply(
      Self.texts.enumerated().map { Make.message($1.0, seq: Int64($0) + 1, text: $1.1) })
    for isIndexed in [false, true] {
      if isIndexed { while try await rig.index(5) {} }
      for (query, found) in Self.queries {
        #expect(try await rig.ids(query).sorted() == found.sorted(), "\(query), indexed: \(isIndexed)")
      }
    }
    #expect(try await rig.entries() == Int64(Self.texts.count))
    try await rig.finish()
  }

  @Test("a text without anything to look for finds nothing, one that is too long is an error with a code")
  func noText() async throws {
    let rig = try await SearchRig()
    _ = try await rig.store.apply([Make.message("a", seq: 1, text: "… !? … \"\"")])
    try await rig.store.finishSearchIndex()
    for text in ["", " ", "…", "\"\"", "\"", "*", "!?", "\u{0}", "\u{301}", "\u{200D}", "()\u{FE0F}", "\u{E000}"] {
      #expect(try await rig.store.search(SearchQuery(text)).value == SearchPage(), "\(text.debugDescription)")
    }
    for text in [String(repeating: "a", count: 1 << 20), String(repeating: "中", count: 65)] {
      await #expect { _ = try await rig.store.search(SearchQuery(text)) } throws: {
        ($0 as? StoreError)?.kind == .invalidInput
      }
    }
    #expect(try await rig.ids(String(repeating: "中", count: 64)) == [])
    try await rig.finish()
  }

  @Test("each kind of content is found by the words of its sender, not by what it quotes or carries along")
  func contents() async throws {
    let quoted = MessageContent.QuotedMessage(
      clientMsgID: "q", senderID: Make.peer, contentType: 101, content: .text("quoted words"))
    let contents: [(String, MessageContent)] = [
      ("text", .text("one zebra")), ("picture", .picture(.init(source: .init(url: "https://zebra.example/1.jpg")))),
      ("file", .file(.init(url: "https://x", name: "zebra_二月.pdf"))),
      ("mention", .mention(.init(text: "@you zebra", userIDs: ["zebra-user"], mentionsMe: false))),
      ("merged", .merged(.init(title: "Chat of zebras", abstracts: ["A: stripes"], messages: [quoted]))),
      ("card", .card(.init(userID: "u", nickname: "Zebra"))),
      ("location", .location(.init(description: "Zebra Park", longitude: 1, latitude: 2))),
      ("custom", .custom(.init(data: "{\"zebra\":1}", description: "a zebra game"))),
      ("quote", .quote(.init(text: "that zebra", quoted: quoted))), ("rich", .richText("rich zebra")),
      ("markdown", .markdown("**zebra**")), ("face", .face(.init(index: 1, data: "zebra"))),
    ]
    let rig = try await SearchRig()
    _ = try await rig.store.apply(
      contents.enumerated().map { Make.content($1.0, seq: Int64($0) + 1, $1.1) })
    for isIndexed in [false, true] {
      if isIndexed { try await rig.store.finishSearchIndex() }
      let found = ["markdown", "rich", "quote", "custom", "location", "card", "merged", "mention", "file", "text"]
      #expect(try await rig.ids("zebra") == found)
      #expect(try await rig.ids("zebra 二月") == ["file"])
      #expect(try await rig.ids("stripes") == ["merged"])
      // A phrase does not reach from the title into the lines below it.
      #expect(try await rig.ids("\"zebras a\"") == [])
      #expect(try await rig.ids("quoted") == [])
      #expect(try await rig.ids(SearchQuery("zebra", contentTypes: [105, 118])) == ["markdown", "file"])
    }
    try await rig.finish()
  }

  @Test("a snippet is one line around the first match and says where the matches are, also inside composed characters")
  func snippets() async throws {
    let rig = try await SearchRig()
    let long = String(repeating: "word ", count: 40)
    _ = try await rig.store.apply([
      Make.message("a", seq: 1, text: long + "line\n\nCafe\u{301} au lait, café\t!" + long),
      Make.message("b", seq: 2, text: "👍🏽👍 ok"),
    ])
    func marked(_ query: String) async throws -> [String] {
      try await rig.store.search(SearchQuery(query)).value.hits.map { hit in
        hit.snippet.matches.reversed().reduce(into: hit.snippet.text) { text, range in
          text.replaceSubrange(range, with: "[\(hit.snippet.text[range])]")
        }
      }
    }
    let cafe = try await marked("cafe")
    let text = try #require(cafe.first)
    #expect(text.contains("line [Cafe\u{301}] au lait, [café] !word"))
    #expect(text.hasPrefix("…") && text.hasSuffix("…") && text.count < 120)
    #expect(try await marked("👍") == ["[👍🏽👍] ok"])
    #expect(try await marked("ok 👍") == ["[👍🏽👍] [ok]"])
    try await rig.finish()
  }
}
