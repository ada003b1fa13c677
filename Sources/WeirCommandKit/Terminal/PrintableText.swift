/// `text` with everything a terminal might obey made harmless, for printing on one line.
///
/// C0 controls and DEL become their picture (ESC becomes ␛, a line break ␊), so that they are still seen; C1 controls,
/// line and paragraph separators and the bidirectional overrides, which can make text read as something else, become
/// U+FFFD. All else, also the joiners that emoji need, stays as it is.
public func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: { replacement(of: $0) != nil }) else { return text }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { result.append(replacement(of: scalar) ?? scalar) }
  return String(result)
}

/// Bytes of unknown origin as printable text: what is not UTF-8 becomes U+FFFD, and at most `limit` bytes are looked at.
public func printable(_ bytes: [UInt8], limit: Int = 4_096) -> String {
  printable(String(decoding: bytes.prefix(limit), as: UTF8.self))
}

private func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
  switch scalar.value {
  case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value)
  case 0x7F: "\u{2421}"
  case 0x80...0x9F, 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
  default: nil
  }
}
