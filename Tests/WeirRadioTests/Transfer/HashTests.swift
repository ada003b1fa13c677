import Testing
import WeirTesting

@testable import WeirRadio

/// Hashes and checksums against their public values.
@Suite struct TransferHashTests {
  /// The key of the published vectors: bytes 0 to 15.
  static let reference = SipHash24(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

  @Test(
    arguments: [
      (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (2, 0x0D6C_8009_D9A9_4F5A), (7, 0xAB02_00F5_8B01_D137),
      (8, 0x93F5_F579_9A93_2462), (15, 0xA129_CA61_49BE_45E5), (16, 0x3F2A_CC7F_57C2_9BDB),
      (63, 0x958A_324C_EB06_4572),
    ] as [(Int, UInt64)])
  func `SipHash-2-4 gives the published values`(length: Int, value: UInt64) {
    #expect(Self.reference((0..<length).map { UInt8($0) }) == value)
  }

  /// All 64 published values, as one checksum over their bytes in the order of publication, lowest byte first.
  @Test func `SipHash-2-4 gives all sixty-four published values`() {
    var published: [UInt8] = []
    for length in 0..<64 {
      let value = Self.reference((0..<length).map { UInt8($0) })
      published += (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    #expect(ContentChecksum.of(published) == 0xD525_776B)
  }

  @Test func `a control key of sixteen bytes is that key, and any other count is none`() throws {
    #expect(try ControlKey(0..<16).hash([]) == Self.reference([]))
    for count in [0, 1, 15, 17, 32] {
      #expect {
        _ = try ControlKey([UInt8](repeating: 7, count: count))
      } throws: {
        ($0 as? TransferError)?.code == "transfer.invalid-control-key"
      }
    }
  }

  @Test func `checksums have their check values, and single bits never go unnoticed`() {
    let check = Array("123456789".utf8)
    #expect(FrameChecksum.of(check) == 0x29B1)
    #expect(ContentChecksum.of(check) == 0xE306_9283)
    #expect(ContentChecksum.of([]) == 0)
    for place in check.indices {
      for bit in 0..<8 {
        var damaged = check
        damaged[place] ^= 1 << UInt8(bit)
        #expect(FrameChecksum.of(damaged) != 0x29B1)
        #expect(ContentChecksum.of(damaged) != 0xE306_9283)
      }
    }
  }

  /// A table against the definition, bit by bit.
  @Test func `checksums by table are those bit by bit`() {
    var generator = SeededGenerator(seed: 3)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8(generator.index(below: 256)) }
      var frame: UInt16 = 0xFFFF
      var content: UInt32 = 0xFFFF_FFFF
      for byte in bytes {
        frame ^= UInt16(byte) << 8
        content ^= UInt32(byte)
        for _ in 0..<8 {
          frame = frame & 0x8000 == 0 ? frame << 1 : (frame << 1) ^ 0x1021
          content = content & 1 == 0 ? content >> 1 : (content >> 1) ^ 0x82F6_3B78
        }
      }
      #expect(FrameChecksum.of(bytes) == frame)
      #expect(ContentChecksum.of(bytes) == ~content)
    }
  }

  @Test func `tags are equal only when all of their bytes are`() {
    #expect(ConstantTime.areEqual([], []))
    #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
    for place in 0..<8 {
      for bit in 0..<8 {
        var other = [UInt8](repeating: 0x5A, count: 8)
        other[place] ^= 1 << UInt8(bit)
        #expect(!ConstantTime.areEqual([UInt8](repeating: 0x5A, count: 8), other))
      }
    }
  }

  @Test func `a content has one name under a key, and another under another key or with another byte`() throws {
    let key = try ControlKey(0..<16)
    let other = try ControlKey(1..<17)
    let content = [UInt8](repeating: 9, count: 1_000)
    #expect(key.contentIdentity(of: content) == key.contentIdentity(of: content))
    #expect(key.contentIdentity(of: content) != other.contentIdentity(of: content))
    #expect(key.contentIdentity(of: content) != key.contentIdentity(of: content + [9]))
    #expect(key.contentIdentity(of: content) != key.hash(content))
  }

  @Test func `secrets are in no description, reflection or dump`() throws {
    let wire = try WireFixture()
    var text = "\(wire.key) \(wire.offer) \(wire.session)"
    dump(wire.session, to: &text)
    dump(wire.key, to: &text)
    dump(wire.offer, to: &text)
    for word in [0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908] { #expect(!text.contains(String(word))) }
    #expect(Mirror(reflecting: wire.key.hash).children.isEmpty)
  }
}
