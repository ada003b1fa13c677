import ChatFixtures
import Foundation

/// The small number by default, the large one when `WEIR_SOAK=1`.
func soak(_ small: Int, _ large: Int) -> Int {
  ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1" ? large : small
}

/// Changes bytes as a broken source would: flips, cuts, repeats, brackets, digits.
func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
  for _ in 0...random.below(3) where !bytes.isEmpty {
    let place = random.below(bytes.count)
    switch random.below(6) {
    case 0: bytes[place] ^= 1 << UInt8(random.below(8))
    case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(8)))
    case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + random.below(20))], at: place)
    case 3: bytes[place] = random.pick(Array("{}[]\",:\\u09-.eE null".utf8))
    case 4: bytes.removeLast(bytes.count - place)
    default: bytes[place] = UInt8(random.below(256))
    }
  }
}
