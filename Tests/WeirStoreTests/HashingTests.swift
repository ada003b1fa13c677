import Testing

@testable import WeirStore

@Suite("Fixed hashes and checksums")
struct HashingTests {
  @Test("SipHash-2-4-128 gives the published values for 0, 1, 15 and 16 bytes")
  func publishedValues() {
    // Key 00…0f, input 00, 01, … of the given length; the first two are the authors', all agree with OpenSSL.
    let expected: [(Int, String)] = [
      (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
      (15, "5493e99933b0a8117e08ec0f97cfc3d9"), (16, "6ee2a4ca67b054bbfd3315bf85230577"),
    ]
    for (length, digits) in expected {
      var hash = FixedHash()
      Array(UInt8(0)..<UInt8(length)).withUnsafeBytes { hash.add(raw: $0) }
      #expect(bytes(hash.value()) == digits, "length \(length)")
    }
  }

  @Test("splitting the input changes nothing")
  func splitting() {
    let input = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    var whole = FixedHash()
    input.withUnsafeBytes { whole.add(raw: $0) }
    for cut in 0...100 {
      var parts = FixedHash()
      input[..<cut].withUnsafeBytes { parts.add(raw: $0) }
      input[cut...].withUnsafeBytes { parts.add(raw: $0) }
      #expect(parts.value() == whole.value(), "cut at \(cut)")
    }
  }

  @Test("neighbouring texts do not run together")
  func lengthsCount() {
    var one = FixedHash()
    one.add("a")
    one.add("bc")
    var other = FixedHash()
    other.add("ab")
    other.add("c")
    #expect(one.value() != other.value())
  }

  @Test("texts equal under Unicode but not in bytes hash differently")
  func bytesDecide() {
    var composed = FixedHash()
    composed.add("\u{e9}")
    var decomposed = FixedHash()
    decomposed.add("e\u{301}")
    #expect(composed.value() != decomposed.value())
  }

  @Test("a hash prints as 32 digits")
  func printing() {
    #expect(Hash128(high: 1, low: 0xab).description == "000000000000000100000000000000ab")
  }

  @Test("CRC-32 gives its check value")
  func checkValue() {
    var checksum = Checksum()
    Array("123456789".utf8).withUnsafeBytes { checksum.add(raw: $0) }
    #expect(checksum.value == 0xCBF4_3926)
  }

  @Test("CRC-32 is the same whatever pieces the bytes come in")
  func pieces() {
    let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    // One byte at a time is the definition.
    var single = Checksum()
    for byte in bytes { withUnsafeBytes(of: byte) { single.add(raw: $0) } }
    for cut in 0...bytes.count {
      var checksum = Checksum()
      bytes[..<cut].withUnsafeBytes { checksum.add(raw: $0) }
      bytes[cut...].withUnsafeBytes { checksum.add(raw: $0) }
      #expect(checksum.value == single.value)
    }
    var number = Checksum()
    number.add(Int64(-2))
    var asBytes = Checksum()
    withUnsafeBytes(of: Int64(-2).littleEndian) { asBytes.add(raw: $0) }
    #expect(number.value == asBytes.value)
  }

  private func bytes(_ hash: Hash128) -> String {
    [hash.low, hash.high].map { half in
      (0..<8).map { index -> String in
        let byte = UInt8(truncatingIfNeeded: half >> (8 * index))
        return (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }.joined()
  }
}
