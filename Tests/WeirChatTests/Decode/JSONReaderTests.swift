import ChatFixtures
import Foundation
import Testing

@testable import WeirChat

@Suite("The JSON reader")
struct JSONReaderTests {
  @Test(
    "valid texts are accepted whole",
    arguments: [
      "0", "-0", "1.5e+10", "1E-2", "true", "false", "null", "\"\"", "[]", "{}", " [ 1 , 2 ] ",
      "\t{\"a\" : [ { } ] }\r\n",
      #""\u00e9\ud83e\udd4a\/\b\f\n\r\t\"\\""#, "\"é漢🥊\"", "[[[[[]]]]]", "9223372036854775807", "123456789012345678901",
      "\"\u{7f}\"", #"{"a":1,"a":2}"#, "\"\u{ffff}\u{10ffff}\"",
    ])
  func accepted(text: String) {
    #expect(skip(Array(text.utf8)) == nil)
  }

  @Test(
    "broken texts are refused, each with its reason and place",
    arguments: [
      ("", JSONError.unexpectedEnd(offset: 0)), ("  ", .unexpectedEnd(offset: 2)), ("[1,2", .unexpectedEnd(offset: 4)),
      ("{\"a\":", .unexpectedEnd(offset: 5)), ("\"abc", .unexpectedEnd(offset: 4)), ("tru", .unexpectedEnd(offset: 3)),
      ("\"a\\", .unexpectedEnd(offset: 3)), ("\"\\u12", .unexpectedEnd(offset: 5)), ("-", .unexpectedEnd(offset: 1)),
      ("1.", .unexpectedEnd(offset: 2)), ("1e", .unexpectedEnd(offset: 2)), ("[1,]", .unexpectedByte(0x5d, offset: 3)),
      ("{\"a\":1,}", .unexpectedByte(0x7d, offset: 7)), ("{,}", .unexpectedByte(0x2c, offset: 1)),
      ("[,1]", .unexpectedByte(0x2c, offset: 1)), ("[1 2]", .unexpectedByte(0x32, offset: 3)),
      ("{\"a\" 1}", .unexpectedByte(0x31, offset: 5)), ("{a:1}", .unexpectedByte(0x61, offset: 1)),
      ("{1:1}", .unexpectedByte(0x31, offset: 1)), ("nul!", .unexpectedByte(0x21, offset: 3)),
      ("'a'", .unexpectedByte(0x27, offset: 0)), ("[}", .unexpectedByte(0x7d, offset: 1)),
      ("{]", .unexpectedByte(0x5d, offset: 1)), ("01", .invalidNumber(offset: 0)), ("-01", .invalidNumber(offset: 0)),
      ("-x", .invalidNumber(offset: 0)), ("1.x", .invalidNumber(offset: 0)), ("1e+x", .invalidNumber(offset: 0)),
      ("+1", .unexpectedByte(0x2b, offset: 0)), (".5", .unexpectedByte(0x2e, offset: 0)),
      ("\"\\x\"", .invalidEscape(offset: 1)), ("\"\\u12g4\"", .invalidEscape(offset: 1)),
      ("\"\\ud83e\"", .loneSurrogate(offset: 1)), ("\"\\udd4a\"", .loneSurrogate(offset: 1)),
      ("\"\\ud83e\\u0041\"", .loneSurrogate(offset: 1)), ("\"\\ud83ex\"", .loneSurrogate(offset: 1)),
      ("\"a\u{1}b\"", .controlCharacter(offset: 2)), ("\"12345678\u{1f}\"", .controlCharacter(offset: 9)),
      ("1 1", .trailingBytes(offset: 2)), ("{}x", .trailingBytes(offset: 2)), ("null,", .trailingBytes(offset: 4)),
    ])
  func refused(text: String, expected: JSONError) {
    #expect(skip(Array(text.utf8)) == expected)
  }

  @Test("every ill-formed UTF-8 sequence is refused, every well-formed one accepted")
  func utf8() {
    // The oracle is the standard library's validating decoder, over all leads with all second bytes and some thirds.
    for lead in UInt8(0x80)...0xff {
      for second in UInt8(0)...0xff where second >= 0x20 && second != 0x22 && second != 0x5c {
        for tail in [[], [0x80], [0xbf, 0x80], [0x41], [0x80, 0xc0]] as [[UInt8]] {
          let inside = [lead, second] + tail
          let isValid = String(validating: inside, as: UTF8.self) != nil
          #expect((skip([0x22] + inside + [0x22]) == nil) == isValid, "\(inside)")
        }
      }
    }
  }

  @Test("escapes give their characters")
  func escapes() throws {
    let text = #""a\"b\\c\/\b\f\n\r\t\u0041\u00e9\u6f22\ud83e\udd4a\u0000z""#
    let value = try Array(text.utf8).withUnsafeBufferPointer {
      var reader = JSONReader($0)
      return try reader.string()
    }
    #expect(Array(value.utf8) == Array("a\"b\\c/\u{8}\u{c}\n\r\tAé漢🥊\0z".utf8))
  }

  @Test(
    "whole numbers are read exactly, and never trap",
    arguments: [
      ("0", 0), ("-0", 0), ("42", 42), ("-42", -42), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min), ("null", 0),
    ])
  func numbers(text: String, value: Int64) {
    #expect(int64(text) == .success(value))
  }

  @Test(
    "numbers outside the range or with a fraction are refused",
    arguments: [
      ("9223372036854775808", JSONError.numberOutOfRange(offset: 0)),
      ("-9223372036854775809", .numberOutOfRange(offset: 0)),
      (String(repeating: "9", count: 400), .numberOutOfRange(offset: 0)),
      ("1.0", .typeMismatch(expected: "a whole number", offset: 0)),
      ("1e3", .typeMismatch(expected: "a whole number", offset: 0)),
      ("\"1\"", .typeMismatch(expected: "a whole number", offset: 0)),
      ("{}", .typeMismatch(expected: "a whole number", offset: 0)),
    ])
  func refusedNumbers(text: String, error: JSONError) {
    #expect(int64(text) == .failure(error))
  }

  @Test("nesting is followed to the limit and refused beyond it, whatever the brackets", arguments: ["[", "{\"a\":"])
  func depth(opening: String) {
    let closing = opening == "[" ? "]" : "}"
    let limit = JSONReader.defaultDepthLimit
    let inside = opening == "[" ? "" : "1"
    let deepest = String(repeating: opening, count: limit) + inside + String(repeating: closing, count: limit)
    #expect(skip(Array(deepest.utf8)) == nil)
    let bomb = String(repeating: opening, count: 100_000)
    guard case .tooDeep(limit, let offset) = skip(Array(bomb.utf8)) else {
      Issue.record("the bomb was not refused for its depth")
      return
    }
    #expect(offset == limit * opening.utf8.count)
  }

  @Test("what is accepted after random damage, another parser accepts too")
  func differential() {
    var random = SeededRandom(7)
    let seeds = ChatScript.lines(seed: 3, count: 40) + [Array(#"[1,-2.5e3,true,null,"\ud83e\udd4a",{"k":[]}]"#.utf8)]
    var accepted = 0
    for _ in 0..<soak(4_000, 100_000) {
      var bytes = random.pick(seeds)
      damage(&bytes, &random)
      // Foundation refuses exponents that overflow a Double, which is a matter of range and not of grammar.
      guard skip(bytes) == nil, !hasExponent(bytes) else { continue }
      accepted += 1
      let other = try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
      #expect(other != nil, "\(String(decoding: bytes, as: UTF8.self))")
    }
    #expect(accepted > 0)
  }

  private func skip(_ bytes: [UInt8]) -> JSONError? {
    bytes.withUnsafeBufferPointer { buffer in
      var reader = JSONReader(buffer)
      do throws(JSONError) {
        try reader.skipValue()
        try reader.finish()
        return nil
      } catch {
        return error
      }
    }
  }

  private func hasExponent(_ bytes: [UInt8]) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { (0x30...0x39).contains($0) && $1 | 0x20 == UInt8(ascii: "e") }
  }

  private func int64(_ text: String) -> Result<Int64, JSONError> {
    Array(text.utf8).withUnsafeBufferPointer { buffer in
      var reader = JSONReader(buffer)
      do throws(JSONError) {
        return .success(try reader.int64())
      } catch {
        return .failure(error)
      }
    }
  }
}
