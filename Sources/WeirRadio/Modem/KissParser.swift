/// Turns the bytes of a KISS modem into events.
struct KissParser: Sendable {
  let maximum: Int
  private var frame: [UInt8] = []
  private var isEscaped = false
  private var isDamaged = false
  private var dropped = 0
  /// A frame whose signal report may follow.
  private var held: [UInt8]?

  init(maximum: Int) { self.maximum = maximum }

  var holdsFrame: Bool { held != nil }

  mutating func feed(_ byte: UInt8, _ emit: (ModemEvent) -> Void) {
    if byte == KissFraming.end {
      if isDamaged || isEscaped {
        emit(.discarded(bytes: frame.count + dropped))
      } else if !frame.isEmpty {
        end(emit)
      }
      frame.removeAll(keepingCapacity: true)
      (isEscaped, isDamaged, dropped) = (false, false, 0)
      return
    }
    guard !isDamaged else {
      dropped &+= 1
      return
    }
    if isEscaped {
      isEscaped = false
      switch byte {
      case KissFraming.escapedEnd: append(KissFraming.end)
      case KissFraming.escapedEscape: append(KissFraming.escape)
      default: isDamaged = true
      }
    } else if byte == KissFraming.escape {
      isEscaped = true
    } else {
      append(byte)
    }
  }

  mutating func silence(_ emit: (ModemEvent) -> Void) { release(nil, nil, emit) }

  private mutating func append(_ byte: UInt8) {
    if frame.count >= maximum { isDamaged = true } else { frame.append(byte) }
  }

  private mutating func release(_ rssi: Int?, _ snr: Double?, _ emit: (ModemEvent) -> Void) {
    guard let payload = held else { return }
    held = nil
    emit(.received(ReceivedFrame(payload: payload, rssi: rssi, snr: snr)))
  }

  private mutating func end(_ emit: (ModemEvent) -> Void) {
    let body = frame.dropFirst()
    if frame[0] == 0x06, body.first == 0xF9, body.count == 3 {
      let values = body.suffix(2).map { Int8(bitPattern: $0) }
      release(Int(values[1]), Double(values[0]) / 4, emit)
      return
    }
    release(nil, nil, emit)
    switch (frame[0], body.first) {
    case (0x00, _): held = Array(body)
    case (0x06, 0xF8?) where body.count == 2:
      emit(.sent(isSuccess: body.last == 1, line: text(body)))
    case (0x06, let code?) where code >= 0x80 && code <= 0xF1:
      emit(.result(isSuccess: code != 0xF1, line: text(body)))
    case (0x06, _?): emit(.unsolicited(text(body)))
    default: emit(.discarded(bytes: frame.count))
    }
  }

  private func text(_ body: some Sequence<UInt8>) -> String { String(decoding: HexText.digits(body), as: UTF8.self) }
}
