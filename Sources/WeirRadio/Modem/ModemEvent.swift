/// A frame that the modem has heard.
public struct ReceivedFrame: Sendable, Hashable {
  /// The bytes as they came over the air.
  public var payload: [UInt8]
  /// Strength in dBm, where the modem tells it.
  public var rssi: Int?
  /// Signal to noise in dB, where the modem tells it.
  public var snr: Double?

  /// A frame.
  public init(payload: [UInt8], rssi: Int? = nil, snr: Double? = nil) {
    self.payload = payload
    self.rssi = rssi
    self.snr = snr
  }
}

/// What the bytes of a modem mean.
public enum ModemEvent: Sendable, Hashable {
  /// A line of an answer.
  case line(String)
  /// The end of an answer.
  case result(isSuccess: Bool, line: String)
  /// The end of a transmission.
  case sent(isSuccess: Bool, line: String)
  /// A frame was heard.
  case received(ReceivedFrame)
  /// The modem has started.
  case banner(String)
  /// Another line that nobody asked for.
  case unsolicited(String)
  /// Bytes that mean nothing, or too many.
  case discarded(bytes: Int)
}
