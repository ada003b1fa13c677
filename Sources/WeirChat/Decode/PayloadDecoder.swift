/// Decodes payloads of one shape into facts and events.
///
/// Whatever is not understood inside a well-formed message is kept with the message; a payload that cannot be placed is
/// refused with a `DecodeError`, and is the caller's to keep.
public protocol PayloadDecoder: Sendable {
  /// The own user id: its messages are never unread, its typing is ignored.
  var account: String { get }

  /// Decodes one payload: UTF-8 JSON, without a line feed behind it.
  ///
  /// - Throws: `DecodeError` for a payload that is refused as a whole.
  func decode(_ payload: [UInt8]) throws(DecodeError) -> Decoded
}

/// What the decoders of all shapes do alike.
enum Payload {
  /// Longest payload that is accepted by default, in bytes.
  static let lengthLimit = 1 << 20
  /// Most parts of one payload: small parts take far more memory than their text.
  static let partLimit = 10_000

  /// Demands that a payload is not too long to be read.
  static func demand(_ payload: [UInt8], _ limit: Int) throws(DecodeError) {
    guard payload.count <= limit else { throw .lineTooLong(count: payload.count, limit: limit) }
  }

  /// Runs `read` and names its error as that of the payload.
  static func checked<Value>(_ read: () throws(JSONError) -> Value) throws(DecodeError) -> Value {
    do {
      return try read()
    } catch {
      throw .json(error)
    }
  }

  /// The fields of the object that is all of the payload.
  static func fields(
    _ bytes: UnsafeBufferPointer<UInt8>, acceptsText: Bool = false
  ) throws(DecodeError) -> PayloadFields {
    var reader = JSONReader(bytes)
    guard try checked({ () throws(JSONError) in try reader.peek() }) == UInt8(ascii: "{") else {
      throw try notAnObject(bytes)
    }
    let fields = try PayloadFields(&reader, acceptsText: acceptsText)
    try checked { () throws(JSONError) in try reader.finish() }
    return fields
  }

  /// The error for a payload that has to be an object and is none: what is malformed as well is named malformed.
  static func notAnObject(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) -> DecodeError {
    var reader = JSONReader(bytes)
    let range = try checked { () throws(JSONError) in
      let range = try reader.skipValue()
      try reader.finish()
      return range
    }
    return .unknownShape(bytes[range.lowerBound] == UInt8(ascii: "[") ? "an array" : "a plain value")
  }

  /// Where the elements of the array stand that is all of the payload.
  static func elements(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) -> [Range<Int>] {
    var reader = JSONReader(bytes)
    var ranges: [Range<Int>] = []
    var isTooLong = false
    try checked { () throws(JSONError) in
      try reader.beginArray()
      while try reader.nextElement() {
        let range = try reader.skipValue()
        isTooLong = isTooLong || ranges.count == partLimit
        if !isTooLong { ranges.append(range) }
      }
      try reader.finish()
    }
    if isTooLong { throw .tooManyParts(limit: partLimit) }
    return ranges
  }

  /// Decodes parts one by one. A part that is refused costs the others nothing; alone, its error is the payload's.
  static func parts(
    _ ranges: [Range<Int>], _ decode: (Range<Int>) throws(DecodeError) -> Decoded
  ) throws(DecodeError) -> Decoded {
    if ranges.count == 1, let range = ranges.first { return try decode(range) }
    var parts: [Decoded] = []
    parts.reserveCapacity(ranges.count)
    for range in ranges {
      do throws(DecodeError) {
        parts.append(try decode(range))
      } catch {
        parts.append(.refused(error))
      }
    }
    return Decoded.of(parts) ?? .ignored(.emptyList)
  }
}
