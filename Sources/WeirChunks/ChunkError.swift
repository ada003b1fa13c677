import CZstd
import Weir

/// Why something could not be coded or decoded.
///
/// `code` is stable and meant for branching; `description` is for people and may change. Decoding either gives
/// exactly the bytes that were coded or throws one of these.
public struct ChunkError: CodedError, Equatable, CustomStringConvertible {
  /// The kinds of failure. The raw values are the stable codes.
  public enum Kind: String, Sendable, CaseIterable {
    /// A level, window, size or limit is out of range.
    case badParameter = "chunks.bad-parameter"
    /// The bytes end too early, or a stream ended without its last chunk.
    case truncated = "chunks.truncated"
    /// Bytes follow where everything has been said: more of them, a second frame, or a chunk behind the last one.
    case trailing = "chunks.trailing"
    /// What should be a zstd frame is none.
    case notAFrame = "chunks.not-a-frame"
    /// A skippable frame, which carries nothing: refused, since it can hide any number of bytes.
    case skippableFrame = "chunks.skippable-frame"
    /// The bytes contradict themselves: they were damaged or made up.
    case corrupt = "chunks.corrupt"
    /// What was decoded is not what was coded: the checksums differ.
    case checksum = "chunks.checksum"
    /// More is declared than the limits allow.
    case tooLong = "chunks.too-long"
    /// The frame wants to look back further than the limits allow.
    case windowTooLarge = "chunks.window-too-large"
    /// More comes out than was declared.
    case overrun = "chunks.overrun"
    /// Less comes out than was declared.
    case shortOutput = "chunks.short-output"
    /// Nobody here holds the dictionary that is named.
    case unknownDictionary = "chunks.unknown-dictionary"
    /// Two different dictionaries have one id.
    case dictionaryConflict = "chunks.dictionary-conflict"
    /// The dictionary is none, or none could be made from the samples.
    case badDictionary = "chunks.bad-dictionary"
    /// The codec that is named is not one of ours: a newer version wrote it, or it was damaged.
    case unknownCodec = "chunks.unknown-codec"
    /// A chunk is not the one that has to follow.
    case outOfOrder = "chunks.out-of-order"
    /// A chunk needs the ones before it, and is to be decoded without them.
    case needsPredecessors = "chunks.needs-predecessors"
    /// The index contradicts itself, or does not belong to the chunks.
    case badIndex = "chunks.bad-index"
    /// A range or chunk number outside what the index covers.
    case outOfRange = "chunks.out-of-range"
    /// A stage in use was copied, and both copies went on: one stream cannot be continued twice.
    case copiedInUse = "chunks.copied-in-use"
    /// Memory ran out inside zstd.
    case outOfMemory = "chunks.out-of-memory"
  }

  /// The kind of failure.
  public let kind: Kind
  /// What went wrong and what to do, in words.
  public let detail: String

  /// A failure of `kind`, told by `detail`.
  public init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  /// The stable code, for example `chunks.truncated`.
  public var code: String { kind.rawValue }

  /// Code and detail in one line.
  public var description: String { "\(code): \(detail)" }

  /// What a result of zstd means that is not a size.
  init(zstd result: Int, while doing: String) {
    let kind: Kind =
      switch ZSTD_getErrorCode(result) {
      case ZSTD_error_memory_allocation: .outOfMemory
      case ZSTD_error_dstSize_tooSmall: .overrun
      case ZSTD_error_checksum_wrong: .checksum
      case ZSTD_error_frameParameter_windowTooLarge: .windowTooLarge
      case ZSTD_error_dictionary_wrong: .unknownDictionary
      case ZSTD_error_dictionary_corrupted, ZSTD_error_dictionaryCreation_failed: .badDictionary
      case ZSTD_error_parameter_outOfBound, ZSTD_error_parameter_unsupported: .badParameter
      default: .corrupt
      }
    self.init(kind, "\(doing): \(String(cString: ZSTD_getErrorName(result)))")
  }
}

extension ChunkError {
  /// The result of a call of zstd, where it is a size.
  static func checked(_ result: Int, while doing: @autoclosure () -> String) throws(ChunkError) -> Int {
    if ZSTD_isError(result) != 0 { throw ChunkError(zstd: result, while: doing()) }
    return result
  }
}
