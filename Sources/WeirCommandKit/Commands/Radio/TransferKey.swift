#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The secret of two stations: never an argument of a command, since every user of a machine can read those.
enum TransferKey {
  static let variable = "WEIR_RADIO_KEY"
  static let file = CommandOption<String?>.text(
    "key-file", "FILE",
    "A file with the key: 16 bytes as 32 hexadecimal digits. Otherwise the variable \(variable) is read.")

  /// The key that a command was given.
  static func read(_ arguments: ParsedArguments) throws -> [UInt8] {
    let (text, place): (String, String)
    if let path = arguments[file] {
      (text, place) = (String(decoding: try SmallFile.read(path, most: 4_096), as: UTF8.self), printable(path))
    } else if let value = getenv(variable) {
      (text, place) = (String(cString: value), variable)
    } else {
      throw TransferFailure.keyMissing
    }
    guard let bytes = bytes(of: text) else { throw TransferFailure.keyMalformed(place: place) }
    return bytes
  }

  /// 16 bytes of digits, whatever blanks stand around and between.
  static func bytes(of text: String) -> [UInt8]? {
    let digits = text.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard digits.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 32, by: 2) {
      // Checked by itself: a sign is no digit.
      guard digits[index...index + 1].allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
        let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

/// Whole files that are small.
enum SmallFile {
  /// The bytes of a file.
  /// - Throws: ``TransferFailure`` `unreadable`, `tooLong` when it has more than `most`.
  static func read(_ path: String, most: Int) throws -> [UInt8] {
    do throws(SystemFault) {
      let file = try OpenFile(reading: path)
      var bytes: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 65_536)
      while let count = try file.read(into: &block) {
        if count == 0 { break }
        bytes += block[..<count]
        if bytes.count > most { break }
      }
      guard bytes.count <= most else { throw SystemFault(number: EFBIG) }
      return bytes
    } catch {
      if error.number == EFBIG { throw TransferFailure.tooLong(path: path, most: most) }
      throw TransferFailure.unreadable(path: path, error)
    }
  }
}
