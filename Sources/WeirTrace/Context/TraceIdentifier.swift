import Weir

/// The 16 bytes that name one trace (W3C Trace Context, level 1).
public struct TraceID: Sendable, Hashable, CustomStringConvertible {
  /// First eight bytes, most significant first.
  public let high: UInt64
  /// Last eight bytes.
  public let low: UInt64

  /// - Returns: nil for the identifier of zeros, which the standard forbids.
  public init?(high: UInt64, low: UInt64) {
    if high == 0 && low == 0 { return nil }
    self.high = high
    self.low = low
  }

  /// The identifier of the journey of a message: the same at both ends of a bridge or a radio, without a byte sent for it.
  public init(clientMessageID: String) {
    high = Spread.nonzero(StableHash.hash(clientMessageID))
    low = Spread.nonzero(StableHash.hash("weir-trace:" + clientMessageID))
  }

  /// A new identifier.
  public static func random(using generator: inout some RandomNumberGenerator) -> TraceID {
    TraceID(unchecked: generator.next(), Spread.nonzero(generator.next()))
  }

  private init(unchecked high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// 32 hexadecimal digits, lower case.
  public var description: String { Hexadecimal.text(high) + Hexadecimal.text(low) }
}

/// The eight bytes that name one step of a trace, the parent of what follows it.
public struct SpanID: Sendable, Hashable, CustomStringConvertible {
  public let value: UInt64

  /// - Returns: nil for zero, which the standard forbids.
  public init?(_ value: UInt64) {
    if value == 0 { return nil }
    self.value = value
  }

  /// The identifier of one step of a message's journey.
  /// - Parameter step: names the step, such as graph and node; the same text gives the same identifier.
  public init(clientMessageID: String, step: String) {
    value = Spread.nonzero(StableHash.hash("\(step)\u{0}\(clientMessageID)"))
  }

  /// A new identifier.
  public static func random(using generator: inout some RandomNumberGenerator) -> SpanID {
    SpanID(unchecked: Spread.nonzero(generator.next()))
  }

  private init(unchecked value: UInt64) { self.value = value }

  /// 16 hexadecimal digits, lower case.
  public var description: String { Hexadecimal.text(value) }
}

/// Which journeys are recorded: those whose message hashes into one of so many shares, so that both ends record the same.
public struct JourneySampler: Sendable, Hashable {
  /// One message of this many is recorded; zero for none.
  public let oneIn: UInt64

  public init(oneIn: UInt64) { self.oneIn = oneIn }

  /// Whether the journey of this message is recorded.
  public func samples(_ clientMessageID: String) -> Bool {
    oneIn > 0 && Spread.mixed(StableHash.hash(clientMessageID)) % oneIn == 0
  }
}

/// Spreads a hash over all its bits: the low bits of FNV-1a follow the last bytes of a text too closely to take shares of.
enum Spread {
  static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  static func nonzero(_ value: UInt64) -> UInt64 {
    let mixed = mixed(value)
    return mixed == 0 ? 1 : mixed
  }
}

/// Hexadecimal digits as Trace Context writes them: lower case only.
enum Hexadecimal {
  static func text(_ value: UInt64) -> String { padded(value, 16) }

  static func padded(_ value: UInt64, _ digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// - Returns: nil unless `text` is exactly `digits` lower-case digits, 16 at most.
  static func value(_ text: Substring, digits: Int) -> UInt64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy(isDigit) else { return nil }
    return UInt64(text, radix: 16)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
