/// The first byte of a small message: how the rest is coded.
///
/// Bits 0 and 1: the coding. Bit 2: two bytes of checksum follow. Bits 3 to 7: the dictionary: 0 none, 1 to 30 one of
/// those that come with the library, 31 one whose 16-bit id follows.
struct MessageTag: Equatable {
  enum Coding: UInt8 {
    /// The original bytes; where the dictionary has an alphabet, the text written in that.
    case original = 0
    /// One compressed zstd block, without any header: the message's length says where it ends.
    case block = 1
    /// A zstd frame without its magic number.
    case frame = 2
  }

  /// How a dictionary is named.
  enum Dictionary: Equatable {
    case none
    case shipped(UInt8)
    case id(UInt16)
  }

  var coding: Coding
  var hasChecksum: Bool
  var dictionary: Dictionary

  /// Bytes of the tag.
  var size: Int { if case .id = dictionary { 3 } else { 1 } }

  func append(to bytes: inout [UInt8]) {
    let first = coding.rawValue | (hasChecksum ? 4 : 0)
    switch dictionary {
    case .none: bytes.append(first)
    case .shipped(let number): bytes.append(first | number << 3)
    case .id(let id):
      bytes.append(first | 31 << 3)
      bytes.append(bigEndian: id)
    }
  }

  init(coding: Coding, hasChecksum: Bool, dictionary: Dictionary) {
    self.coding = coding
    self.hasChecksum = hasChecksum
    self.dictionary = dictionary
  }

  init(_ reader: inout ByteReader) throws(ChunkError) {
    let first = try reader.byte()
    guard let coding = Coding(rawValue: first & 3) else {
      throw ChunkError(.unknownCodec, "the tag \(first) names a coding that is none of ours")
    }
    self.coding = coding
    hasChecksum = first & 4 != 0
    switch first >> 3 {
    case 0: dictionary = .none
    case 31: dictionary = .id(try reader.uint16())
    case let number: dictionary = .shipped(number)
    }
  }
}
