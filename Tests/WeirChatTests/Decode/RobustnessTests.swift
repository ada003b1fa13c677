import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Order, repetition and extremes of fields")
struct RobustnessTests {
  private let callbacks = OpenIMCallbackDecoder(account: ChatScript.account)
  private let wire = OpenIMWireDecoder(account: ChatScript.account)
  private let hooks = OpenIMWebhookDecoder(account: ChatScript.account)

  /// A callback line as its members.
  private var members: [String] {
    var line = CallbackLine()
    line.more = [
      #""attachedInfo":"{\"burnDuration\":3}""#, #""ex":"app""#, #""localEx":"mine""#, #""unknown":[{"a":1}]"#,
    ]
    let text = line.text.dropFirst().dropLast()
    return split(String(text))
  }

  @Test("the order of keys does not matter, in any shape")
  func permutations() throws {
    var random = SeededRandom(77)
    let shapes: [([String], any PayloadDecoder)] = [
      (members, callbacks), (WireLine().members, wire),
      (WireLine().members + [#""callbackCommand":"callbackAfterSendSingleMsgCommand""#], hooks),
    ]
    for (members, decoder) in shapes {
      let expected = try decoder.decode(object(members))
      for _ in 0..<soak(200, 5_000) {
        let shuffled = object(members.shuffled(using: &random))
        guard try decoder.decode(shuffled) != expected else { continue }
        Issue.record("\(String(decoding: shuffled, as: UTF8.self))")
      }
      #expect(try decoder.decode(object(members.reversed())) == expected)
      // The content may stand before its number.
      #expect(try decoder.decode(object(members.sorted())) == expected)
    }
  }

  @Test("of a repeated key the last one counts, whatever stood there before")
  func repeated() throws {
    let expected = try wire.decode(WireLine().bytes)
    let twice = [#""seq":1"#, #""clientMsgID":"other""#, #""options":{"history":false}"#, #""content":"x""#]
    #expect(try wire.decode(object(twice + WireLine().members)) == expected)
    #expect(try wire.decode(object(WireLine().members + WireLine().members)) == expected)
    let elements = [#""textElem":{"content":"old"}"#, #""cardElem":{}"#, #""textElem":null"#]
    #expect(try callbacks.decode(object(elements + members)) == callbacks.decode(object(members)))
    // A later null takes the element away.
    guard case .message(let message) = try callbacks.decode(object(members + [#""textElem":null"#])) else { return }
    #expect(message.content == .placeholder(contentType: 101))
  }

  @Test("white space may stand anywhere between tokens")
  func whiteSpace() throws {
    let spaced = WireLine().members.map { member in
      let parts = member.split(separator: ":", maxSplits: 1)
      return " \t\(parts[0]) \r\n: \(parts[1])\n"
    }
    #expect(try wire.decode(Array(" {\(spaced.joined(separator: " ,"))} \n".utf8)) == wire.decode(WireLine().bytes))
  }

  @Test(
    "numbers out of range are refused with their field",
    arguments: [
      "seq", "sendTime", "createTime", "sessionType", "contentType", "status", "msgFrom", "senderPlatformID",
    ])
  func hugeNumbers(field: String) {
    for number in ["9223372036854775808", "-9223372036854775809", String(repeating: "9", count: 400), "1e400", "0.5"] {
      for decoder in [callbacks, wire, hooks] as [any PayloadDecoder] {
        let error = #expect(throws: DecodeError.self) {
          try decoder.decode(object(WireLine().members + ["\"\(field)\":\(number)"]))
        }
        guard case .invalidField(field, _)? = error else {
          Issue.record("\(field) \(number): \(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test("nesting beyond the limit is refused wherever it stands", arguments: ["content", "options", "unknown", "ex"])
  func deepNesting(field: String) {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      for depth in [200, 20_000] {
        let bomb = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        for decoder in [callbacks, wire, hooks] as [any PayloadDecoder] {
          #expect(throws: DecodeError.self) {
            try decoder.decode(object(WireLine().members + ["\"\(field)\":\(bomb)"]))
          }
        }
      }
    }
  }

  @Test("nesting inside a text is found when the text is read, and keeps the line")
  func nestingInText() throws {
    var line = WireLine()
    line.rendition = .text
    line.content = String(repeating: "{\"a\":", count: 50_000) + "1" + String(repeating: "}", count: 50_000)
    guard case .message(let message) = try wire.decode(line.bytes) else { return }
    #expect(message.content == .placeholder(contentType: 101) && message.body == .line(line.bytes))
  }

  @Test(
    "bytes that are no UTF-8 are refused, in keys, values and what is skipped",
    arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80]] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    for (before, after) in [("{\"ex\":\"", "\"}"), ("{\"", "\":1}"), ("{\"unknown\":{\"a\":[\"", "\"]}}")] {
      let payload = Array(before.utf8) + bytes + Array(after.utf8)
      for decoder in [callbacks, wire, hooks] as [any PayloadDecoder] {
        let error = #expect(throws: DecodeError.self) { try decoder.decode(payload) }
        #expect(error?.code == "json.invalid-utf8")
      }
    }
  }

  @Test("a line of 100 MB is refused before it is read, by all decoders")
  func hugeLine() {
    let line = [UInt8](repeating: UInt8(ascii: "["), count: 100_000_000)
    let expected = DecodeError.lineTooLong(count: line.count, limit: 1 << 20)
    for decoder in [callbacks, wire, hooks] as [any PayloadDecoder] {
      #expect(throws: expected) { try decoder.decode(line) }
    }
    #expect(throws: expected) { try callbacks.decode(line, as: .conversations) }
    #expect(throws: expected) { try PullReader(wire).decode(line, answering: []) }
    #expect(throws: expected) { try SendReader(callbacks).acknowledged(line, conversationID: "c") }
    #expect(throws: expected) { try HistoryAnswer(json: line, decoder: callbacks) }
  }

  private func object(_ members: [String]) -> [UInt8] { Array("{\(members.joined(separator: ","))}".utf8) }

  /// Splits members at the commas outside of strings and brackets.
  private func split(_ text: String) -> [String] {
    var members = [""]
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == "," && depth == 0 && !isQuoted {
        members.append("")
        continue
      }
      members[members.count - 1].append(character)
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if !isQuoted {
        if "{[".contains(character) { depth += 1 }
        if "}]".contains(character) { depth -= 1 }
      }
    }
    return members
  }
}
