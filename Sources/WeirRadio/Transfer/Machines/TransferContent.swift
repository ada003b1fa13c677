import WeirChunks

/// A content as it goes over the air: made smaller where that helps, and whoever receives it is told how.
struct TransferContent: Sendable {
  /// One zstd frame.
  static let zstd: UInt8 = 1

  let original: [UInt8]
  /// 0 for the content as it is, ``zstd``.
  let codec: UInt8
  let wire: [UInt8]

  /// Airtime is the cost, so the whole content is compressed once and hard. Takes some tenths of a second for a long one.
  init(_ original: [UInt8]) {
    self.original = original
    if let coded = try? CodedChunk(compressing: original, settings: .radioTransfer), coded.coding == .frame {
      codec = Self.zstd
      wire = coded.bytes
    } else {
      codec = 0
      wire = original
    }
  }

  /// The content of what came over the air; nil when it is not what it was said to be. No more memory is taken than `length`,
  /// which the sender has declared and signed.
  static func decoded(_ wire: [UInt8], codec: UInt8, length: Int) -> [UInt8]? {
    switch codec {
    case 0: return wire.count == length ? wire : nil
    case zstd: return try? Decompressor(limits: .radioTransfer).content(ofFrame: wire, length: length)
    default: return nil
    }
  }
}
