/// A key of the keyboard, as far as the browser knows it.
public enum Key: Sendable, Equatable {
  case up, down, left, right, pageUp, pageDown, home, end, enter, tab, escape, interrupt
  case letter(Character)
}

/// Turns what a terminal sends into keys: a pure value. Sequences may come in pieces; those it does not know are skipped.
public struct KeyDecoder: Sendable {
  private var pending: [UInt8] = []

  public init() {}

  public mutating func take(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let first = pending.first {
      guard first == 0x1b, pending.count > 1 else {
        // An escape by itself is one only if nothing follows in the same read.
        pending.removeFirst()
        if let key = Self.plain(first) { keys.append(key) }
        continue
      }
      guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else {
        pending.removeFirst()
        keys.append(.escape)
        continue
      }
      guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else {
        // The rest comes with the next read, unless it is nothing that a terminal sends.
        if pending.count > 16 { pending = [] }
        return keys
      }
      if let key = Self.sequence(pending[end], pending[2..<end]) { keys.append(key) }
      pending.removeFirst(end + 1)
    }
    return keys
  }

  private static func plain(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x03: .interrupt
    case 0x09: .tab
    case 0x0a, 0x0d: .enter
    case 0x1b: .escape
    case 0x20...0x7e: .letter(Character(Unicode.Scalar(byte)))
    default: nil
    }
  }

  private static func sequence(_ last: UInt8, _ parameters: some Sequence<UInt8>) -> Key? {
    switch last {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "~"):
      switch String(decoding: Array(parameters), as: UTF8.self) {
      case "1", "7": .home
      case "4", "8": .end
      case "5": .pageUp
      case "6": .pageDown
      default: nil
      }
    default: nil
    }
  }
}
