import Foundation
import Testing

@testable import WeirCommandKit

@Suite struct `Text for terminals` {
  @Test(arguments: [
    ("plain 中文", "plain 中文"), ("\u{1B}[31mred", "␛[31mred"), ("a\r\nb\tc\u{0}", "a␍␊b␉c␀"), ("\u{7F}", "␡"),
    ("\u{9B}2J", "\u{FFFD}2J"), ("a\u{202E}b\u{2066}c", "a\u{FFFD}b\u{FFFD}c"), ("👨‍👩‍👧", "👨‍👩‍👧"),
  ])
  func `is made harmless`(text: String, expected: String) {
    #expect(printable(text) == expected)
  }

  @Test func `never carries a control character whatever comes in`() {
    for value in UInt32(0)...0x2FF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let shown = printable("a\(Character(scalar))b")
      #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
    #expect(printable([0x61, 0xFF, 0x1B]) == "a\u{FFFD}␛")
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("中文", 4), ("ｆｕｌｌ", 8), ("한글", 4), ("e\u{301}", 1), ("😀", 2), ("👨‍👩‍👧‍👦", 2), ("🇨🇳", 2),
    ("❤️", 2), ("…", 1), ("ﾊﾝ", 2), ("、。", 4),
  ])
  func `is measured in cells`(text: String, cells: Int) {
    #expect(DisplayWidth.of(text) == cells)
  }

  @Test func `is cut without going over the limit`() {
    #expect(DisplayWidth.truncate("abcdef", to: 6) == "abcdef")
    #expect(DisplayWidth.truncate("abcdef", to: 5) == "abcd…")
    #expect(DisplayWidth.truncate("中文字", to: 5) == "中文…")
    #expect(DisplayWidth.truncate("中文字", to: 4) == "中…")
    #expect(DisplayWidth.truncate("abc", to: 0) == "")
    for limit in 0...20 {
      #expect(DisplayWidth.of(DisplayWidth.truncate("mixed 中文 😀 text", to: limit)) <= limit)
    }
  }

  @Test func `is aligned in tables, wide characters counting twice`() {
    var table = TextTable([.init("name"), .init("count", .right)])
    table.append(["张伟", "7"])
    table.append(["Ada", "1,204", "surplus"])
    table.append(["x\ny"])
    #expect(table.lines() == ["name  count", "张伟      7", "Ada   1,204", "x␊y"])
  }

  @Test func `is shortened in the columns that may shrink`() {
    var table = TextTable([.init("id"), .init("text", shrinksTo: 5), .init("n", .right)])
    table.append(["0123456789", "一二三四五六七八九十", "1"])
    for width in [40, 30, 24, 20] {
      let lines = table.lines(width: width)
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
      #expect(lines[1].hasPrefix("0123456789"))
      #expect(lines[1].hasSuffix("1"))
    }
    #expect(table.lines(width: 20)[1] == "0123456789  一…    1" || table.lines(width: 20)[1] == "0123456789  一二…  1")
  }
}

@Suite struct `Humane figures` {
  @Test func `group thousands`() {
    #expect(
      [0, 999, 1_000, 1_234_567, -1_234].map { Humane.count($0) } == ["0", "999", "1,000", "1,234,567", "-1,234"])
    #expect(Humane.count(Int.min) == "-9,223,372,036,854,775,808")
  }

  @Test func `shorten large numbers without rounding up`() {
    #expect(
      [0, 999, 999.99, 1_000, 215_340, 1_250_000, 999_999, -1_500].map { Humane.short($0) }
        == ["0", "999", "999", "1.00k", "215k", "1.25M", "999k", "-1.50k"])
    #expect([Double.nan, .infinity].map { Humane.short($0) } == ["?", "?"])
    #expect(Humane.short(1e30).hasSuffix("P"))
    #expect(
      [0, 1_023, 1_536, 16 << 20, .max].map { Humane.bytes($0) } == [
        "0 B", "1023 B", "1.50 KiB", "16.0 MiB", "8.00 EiB",
      ])
  }

  @Test func `write times in two units`() {
    let times: [(Duration, String)] = [
      (.zero, "0s"), (.microseconds(5), "<1ms"), (.milliseconds(250), "250ms"), (.milliseconds(1_250), "1.2s"),
      (.seconds(59), "59s"), (.seconds(72), "1m12s"), (.seconds(11_100), "3h05m"), (.seconds(183_600), "2d03h"),
      (.seconds(-72), "-1m12s"),
    ]
    for (time, text) in times { #expect(Humane.duration(time) == text) }
  }

  @Test func `say a hundred percent only when all is done`() {
    #expect([0, 0.5, 0.9999, 1, 7, -1].map { Humane.percent($0) } == ["0%", "50%", "99%", "100%", "100%", "0%"])
    #expect(Humane.percent(.nan) == "?%")
  }
}

@Suite struct `The progress meter` {
  typealias Sample = ProgressMeter.Sample

  @Test func `shows rate, share and time left of a steady flow`() {
    var meter = ProgressMeter(total: .bytes(1_000_000))
    for second in 1...4 {
      meter.observe(Sample(elements: second * 1_000, bytes: Int64(second) * 100_000), at: .seconds(second))
    }
    #expect(meter.rate == 1_000)
    #expect(meter.remaining == .seconds(6))
    #expect(meter.line(width: 100) == "4,000 messages  40%  1.00k/s  6.0s left  flowing  390 KiB")
  }

  @Test func `forgets old rates and shows a stall`() {
    var meter = ProgressMeter(total: .elements(10_000))
    for tick in 1...100 { meter.observe(Sample(elements: tick * 50), at: .milliseconds(tick * 50)) }
    #expect(abs(meter.rate - 1_000) < 1)
    for tick in 101...400 {
      meter.observe(Sample(elements: 5_000, pressure: .heldBy("projection", share: 0.63)), at: .milliseconds(tick * 50))
    }
    #expect(meter.rate == 0)
    #expect(meter.remaining == nil)
    #expect(meter.line() == "5,000 messages  50%  0/s  held 63% by projection")
  }

  @Test func `keeps the same rate however often it is told`() {
    var often = ProgressMeter()
    for tick in 1...20_000 { often.observe(Sample(elements: tick), at: .milliseconds(tick)) }
    #expect(abs(often.rate - 1_000) < 1)
  }

  @Test func `drops the least needed parts when the terminal is narrow`() {
    var meter = ProgressMeter(total: .elements(100))
    meter.observe(Sample(elements: 50, bytes: 2_048, refused: 3, pressure: .waiting), at: .seconds(1))
    var last = Int.max
    for width in stride(from: 120, through: 1, by: -1) {
      let line = meter.line(width: width)
      #expect(DisplayWidth.of(line) <= width)
      #expect(DisplayWidth.of(line) <= last)
      last = DisplayWidth.of(line)
    }
    #expect(meter.line(width: 40) == "50 messages  50%  50/s  3 refused")
    #expect(meter.line(width: 11) == "50 messages")
  }

  @Test func `ignores time that runs backwards and an empty total`() {
    var meter = ProgressMeter(total: .bytes(0))
    meter.observe(Sample(elements: 5), at: .seconds(5))
    meter.observe(Sample(elements: 9), at: .seconds(1))
    #expect(meter.line().hasPrefix("5 messages  1/s"))
    #expect(meter.share == nil)
  }

  @Test func `sums up at the end`() {
    var meter = ProgressMeter(counting: "lines")
    meter.observe(Sample(elements: 1_500, bytes: 3 << 20, refused: 2), at: .seconds(3))
    #expect(meter.summary() == "1,500 lines, 2 refused, 3.00 MiB in 3.0s (500/s)")
    #expect(ProgressMeter().summary() == "0 messages in 0s")
  }
}

@Suite struct `The status line` {
  func make(interactive: Bool, forced: Bool, width: Int = 21) -> (StatusLine, Collector<String>) {
    let written = Collector<String>()
    let line = StatusLine(device: TerminalDevice(isInteractive: interactive, width: width), isForced: forced) {
      written.append(String(decoding: $0, as: UTF8.self))
    }
    return (line, written)
  }

  @Test func `is drawn over itself on a terminal, at most ten times a second`() {
    var (line, written) = make(interactive: true, forced: false)
    for tick in 0...10 { line.update(at: .milliseconds(tick * 50)) { _ in "tick \(tick)" } }
    #expect(written.values == [0, 2, 4, 6, 8, 10].map { "\rtick \($0)\u{1B}[K" })
  }

  @Test func `steps aside for a printed line and leaves nothing behind`() {
    var (line, written) = make(interactive: true, forced: false)
    line.update(at: .zero) { _ in "working" }
    line.print("warning\u{7}\nsecond")
    line.finish("done")
    #expect(written.values == ["\rworking\u{1B}[K", "\r\u{1B}[Kwarning␇\nsecond\nworking", "\r\u{1B}[K", "done\n"])
  }

  @Test func `is silent elsewhere unless asked for`() {
    var (line, written) = make(interactive: false, forced: false)
    line.update(at: .zero) { _ in "working" }
    line.finish("done")
    #expect(written.values == [])
    line.print("warning")
    #expect(written.values == ["warning\n"])
  }

  @Test func `is a log when asked for elsewhere`() {
    var (line, written) = make(interactive: false, forced: true)
    for second in 0...6 { line.update(at: .seconds(second)) { _ in "second \(second)" } }
    line.finish("done")
    #expect(written.values == ["second 0\n", "second 5\n", "done\n"])
  }

  @Test func `never fills the last cell and never carries a control character`() {
    var (line, written) = make(interactive: true, forced: false, width: 8)
    line.update(at: .zero) { width in "\u{1B}" + String(repeating: "x", count: width + 5) }
    #expect(written.values == ["\r␛xxxxx…\u{1B}[K"])
  }
}

@Suite struct `The JSON writer` {
  @Test func `places commas and closes what it opens`() throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("a", 1)
    writer.field("b", "x")
    writer.key("c")
    writer.beginArray()
    writer.boolean(true)
    writer.null()
    writer.beginObject()
    writer.endObject()
    writer.number(1.5)
    writer.number(.nan)
    writer.verbatim(Array("[1]".utf8))
    writer.endArray()
    writer.field("d", false)
    writer.endObject()
    writer.endLine()
    writer.integer(Int64.min)
    #expect(writer.text == #"{"a":1,"b":"x","c":[true,null,{},1.5,null,[1]],"d":false}"# + "\n-9223372036854775808")
  }

  @Test func `writes strings that read back the same, for every kind of scalar`() throws {
    var samples = ["", "\"\\/", "中文😀", "a\u{2028}b", String(repeating: "\u{1}", count: 300)]
    samples += (0...0x200).compactMap { Unicode.Scalar($0).map { "x\(Character($0))y" } }
    for sample in samples {
      var writer = JSONWriter()
      writer.beginArray()
      writer.string(sample)
      writer.endArray()
      let parsed = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String]
      #expect(parsed.map { $0.map { Array($0.unicodeScalars) } } == [Array(sample.unicodeScalars)])
      #expect(!writer.text.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
  }

  @Test func `writes whole numbers as Swift does`() {
    for value in [0, 7, 10, -1, 1_234_567_890, Int.max, Int.min] {
      var writer = JSONWriter()
      writer.integer(value)
      #expect(writer.text == String(value))
    }
  }
}
