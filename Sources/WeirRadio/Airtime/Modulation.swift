/// How bytes become time on the air.
public enum Modulation: Sendable, Hashable, CustomStringConvertible {
  /// Chirps: airtime follows the data sheet's formula.
  case lora(LoRaModulation)
  /// Bits at a constant rate.
  case bitRate(BitRateModulation)

  /// Time on air of a frame of `bytes`.
  public func timeOnAir(bytes: Int) -> Duration {
    switch self {
    case .lora(let lora): lora.timeOnAir(bytes: bytes)
    case .bitRate(let rate): rate.timeOnAir(bytes: bytes)
    }
  }

  /// Most bytes of a frame.
  public var maximumBytes: Int {
    switch self {
    case .lora: LoRaModulation.maximumBytes
    case .bitRate(let rate): rate.maximumBytes
    }
  }

  /// How long a modem listens to tell whether the channel is taken: 2.5 symbols, or 16 bits of a bit-rate modem.
  public var detectionTime: Duration {
    switch self {
    case .lora(let lora): lora.symbolTime * 5 / 2
    case .bitRate(let rate): rate.time(bits: 16)
    }
  }

  /// The most bytes whose time on air stays within `limit`; nil when not even an empty frame does.
  public func mostBytes(within limit: Duration) -> Int? {
    guard timeOnAir(bytes: 0) <= limit else { return nil }
    var low = 0
    var high = maximumBytes
    while low < high {
      let middle = (low + high + 1) / 2
      if timeOnAir(bytes: middle) <= limit { low = middle } else { high = middle - 1 }
    }
    return low
  }

  public var description: String {
    switch self {
    case .lora(let lora): lora.description
    case .bitRate(let rate): rate.description
    }
  }
}

/// A modem that sends bits at a constant rate, after some time of its own.
public struct BitRateModulation: Sendable, Hashable, CustomStringConvertible {
  /// Bits a second.
  public let rate: Int
  /// Time before the first bit and after the last.
  public let overhead: Duration
  /// Most bytes of a frame.
  public let maximumBytes: Int

  /// - Throws: ``RadioError`` `badModulation` for a rate outside of 1 to 10^9 bit/s, a negative overhead or one of over a
  ///   minute, or frames of fewer than 1 or more than 65,535 bytes.
  public init(rate: Int, overhead: Duration = .zero, maximumBytes: Int) throws(RadioError) {
    guard (1...1_000_000_000).contains(rate) else {
      throw RadioError(.badModulation, "\(rate) bit/s is not within 1 and 1,000,000,000")
    }
    guard overhead >= .zero, overhead <= .seconds(60) else {
      throw RadioError(.badModulation, "an overhead of \(overhead) is not within 0 and 60 s")
    }
    guard (1...65_535).contains(maximumBytes) else {
      throw RadioError(.badModulation, "frames of \(maximumBytes) bytes are not within 1 and 65,535")
    }
    self.rate = rate
    self.overhead = overhead
    self.maximumBytes = maximumBytes
  }

  private init(known rate: Int, overhead: Duration, maximumBytes: Int) {
    self.rate = rate
    self.overhead = overhead
    self.maximumBytes = maximumBytes
  }

  /// The fastest rate of TurMass modems, in slots of 600 bytes (radio study, section 0).
  public static let turMassRate18 = BitRateModulation(known: 82_500, overhead: .milliseconds(8), maximumBytes: 600)

  /// Time on air of a frame of `bytes`, rounded up to a nanosecond; a negative number counts as none.
  public func timeOnAir(bytes: Int) -> Duration { overhead + time(bits: 8 * min(max(0, bytes), 1 << 24)) }

  func time(bits: Int) -> Duration { .nanoseconds((bits * 1_000_000_000 + rate - 1) / rate) }

  public var description: String { "\(rate) bit/s" }
}
