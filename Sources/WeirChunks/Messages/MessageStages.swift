import Weir

/// Codes small messages in a graph; see ``SmallMessageCodec``.
///
/// - Emits when: a message has come, one for it.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: the codec's.
/// - Errors: ``ChunkError`` `tooLong`, `outOfMemory`; a message that fails leaves nothing behind for the next.
public struct EncodeSmallMessages: Stage {
  private let codec: SmallMessageCodec

  /// Codes with `codec`, which several runs may share.
  public init(_ codec: SmallMessageCodec) { self.codec = codec }

  public var isOneToOne: Bool { true }

  public mutating func process(_ element: [UInt8], _ emit: ([UInt8]) -> Void) throws(ChunkError) {
    emit(try codec.encode(element))
  }
}

/// Decodes small messages in a graph; see ``SmallMessageCodec``.
///
/// - Emits when: a message has come, one for it.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: the codec's.
/// - Errors: ``ChunkError``: what is wrong with a message; the next is not affected, so `supervision: .skip` goes on.
public struct DecodeSmallMessages: Stage {
  private let codec: SmallMessageCodec

  /// Decodes with `codec`, which several runs may share.
  public init(_ codec: SmallMessageCodec) { self.codec = codec }

  public var isOneToOne: Bool { true }

  public mutating func process(_ element: [UInt8], _ emit: ([UInt8]) -> Void) throws(ChunkError) {
    emit(try codec.decode(element))
  }
}
