/// What help and the parser need to know of an option; made by ``CommandOption``.
public struct OptionDescription: Sendable {
  /// The long name without dashes.
  public let name: String
  /// The one-letter name, if any.
  public let short: Character?
  /// What stands for the value in help, in capitals; nil for a flag.
  public let placeholder: String?
  /// May be given more than once.
  public let isRepeatable: Bool
  /// One or two sentences.
  public let summary: String
  /// Shown in help; nil when the default is "nothing".
  public let defaultText: String?
  /// Nil when the text is a good value, else what a good value is: "a whole number of at least 1".
  let complaint: @Sendable (String) -> String?
}

/// An option of a command: its name, its help and its type come from this one declaration.
///
/// Declare it once, list its ``description`` in the command, and read it as `arguments[option]`.
public struct CommandOption<Value: Sendable>: Sendable {
  /// For the command's description.
  public let description: OptionDescription
  /// The value for what was given, in order; empty when the option was absent.
  let read: @Sendable ([String]) -> Value
}

extension CommandOption {
  /// Builds an option from a conversion; the last one given wins where it may be repeated.
  fileprivate static func converting(
    _ name: String, _ short: Character?, _ placeholder: String, _ summary: String, defaultText: String?,
    expecting expectation: String, default fallback: Value, _ convert: @escaping @Sendable (String) -> Value?
  ) -> Self {
    Self(
      description: OptionDescription(
        name: name, short: short, placeholder: placeholder, isRepeatable: false, summary: summary,
        defaultText: defaultText, complaint: { convert($0) == nil ? expectation : nil }),
      read: { given in given.last.flatMap(convert) ?? fallback })
  }
}

extension CommandOption where Value == Bool {
  /// A flag: false unless given.
  public static func flag(_ name: String, short: Character? = nil, _ summary: String) -> Self {
    Self(
      description: OptionDescription(
        name: name, short: short, placeholder: nil, isRepeatable: false, summary: summary, defaultText: nil,
        complaint: { _ in nil }),
      read: { !$0.isEmpty })
  }
}

extension CommandOption where Value == String? {
  /// Any text that is not empty.
  public static func text(_ name: String, short: Character? = nil, _ placeholder: String, _ summary: String) -> Self {
    converting(
      name, short, placeholder, summary, defaultText: nil, expecting: "a value that is not empty", default: nil
    ) { $0.isEmpty ? nil : .some($0) }
  }
}

extension CommandOption where Value == String {
  /// Text with a default.
  public static func text(
    _ name: String, short: Character? = nil, _ placeholder: String, default fallback: String, _ summary: String
  ) -> Self {
    converting(
      name, short, placeholder, summary, defaultText: fallback, expecting: "a value that is not empty",
      default: fallback
    ) { $0.isEmpty ? nil : $0 }
  }

  /// One of a few words; the first is the default.
  public static func choice(_ name: String, _ placeholder: String, of words: [String], _ summary: String) -> Self {
    let fallback = words.first ?? ""
    return converting(
      name, nil, placeholder, summary, defaultText: fallback, expecting: "one of \(words.joined(separator: ", "))",
      default: fallback
    ) { words.contains($0) ? $0 : nil }
  }
}

extension CommandOption where Value == [String] {
  /// An option that may be given many times; the values in order.
  public static func list(_ name: String, _ placeholder: String, _ summary: String) -> Self {
    Self(
      description: OptionDescription(
        name: name, short: nil, placeholder: placeholder, isRepeatable: true, summary: summary, defaultText: nil,
        complaint: { $0.isEmpty ? "a value that is not empty" : nil }),
      read: { $0 })
  }
}

extension CommandOption where Value == Int {
  /// A whole number in `range`; `_` and `,` between digits are allowed.
  public static func integer(
    _ name: String, short: Character? = nil, _ placeholder: String, _ range: ClosedRange<Int>, default fallback: Int,
    _ summary: String
  ) -> Self {
    converting(
      name, short, placeholder, summary, defaultText: Humane.count(fallback), expecting: wholeNumber(in: range),
      default: fallback
    ) { ValueText.integer($0, in: range) }
  }

  /// A size in bytes, with an optional unit: `65536`, `64KiB`, `16M` (units of 1,024).
  public static func byteCount(
    _ name: String, _ placeholder: String, _ range: ClosedRange<Int>, default fallback: Int, _ summary: String
  ) -> Self {
    converting(
      name, nil, placeholder, summary, defaultText: ValueText.size(fallback),
      expecting: "a size such as 65536, 64KiB or 16MiB, from \(range.lowerBound) to \(range.upperBound) bytes",
      default: fallback
    ) { ValueText.byteCount($0, in: range) }
  }
}

extension CommandOption where Value == Int? {
  /// A whole number in `range`, nil when absent.
  public static func integer(
    _ name: String, _ placeholder: String, _ range: ClosedRange<Int>, _ summary: String
  ) -> Self {
    converting(
      name, nil, placeholder, summary, defaultText: nil, expecting: wholeNumber(in: range), default: nil
    ) { ValueText.integer($0, in: range).map { .some($0) } }
  }
}

extension CommandOption where Value == UInt64 {
  /// A seed: any whole number from 0 to 2^64 − 1.
  public static func seed(_ name: String, _ placeholder: String, default fallback: UInt64, _ summary: String) -> Self {
    converting(
      name, nil, placeholder, summary, defaultText: String(fallback),
      expecting: "a whole number from 0 to 18446744073709551615", default: fallback
    ) { UInt64($0) }
  }
}

extension CommandOption where Value == Double {
  /// A probability: `0.05` or `5%`.
  public static func probability(
    _ name: String, _ placeholder: String, default fallback: Double, _ summary: String
  ) -> Self {
    converting(
      name, nil, placeholder, summary, defaultText: fallback == fallback.rounded() ? "\(Int(fallback))" : "\(fallback)",
      expecting: "a probability such as 0.05 or 5%, from 0 to 1", default: fallback,
      ValueText.probability)
  }
}

private func wholeNumber(in range: ClosedRange<Int>) -> String {
  range.upperBound == .max
    ? "a whole number of at least \(Humane.count(range.lowerBound))"
    : "a whole number from \(Humane.count(range.lowerBound)) to \(Humane.count(range.upperBound))"
}

/// Conversions of option values; nil for anything that is not plainly one.
enum ValueText {
  static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? {
    let digits = text.filter { $0 != "_" && $0 != "," }
    guard text.first?.isNumber == true || text.first == "-", let value = Int(digits) else { return nil }
    return range.contains(value) ? value : nil
  }

  static func probability(_ text: String) -> Double? {
    let isPercent = text.hasSuffix("%")
    let number = isPercent ? String(text.dropLast()) : text
    guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(number) else {
      return nil
    }
    let share = isPercent ? value / 100 : value
    return (0...1).contains(share) ? share : nil
  }

  /// The shortest text that ``byteCount(_:in:)`` reads as exactly `bytes`.
  static func size(_ bytes: Int) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where bytes > 0 && bytes % (1 << shift) == 0 {
      return "\(bytes >> shift)\(unit)"
    }
    return String(bytes)
  }

  static func byteCount(_ text: String, in range: ClosedRange<Int>) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits) else { return nil }
    let exponent: Int
    switch text.dropFirst(digits.count).uppercased() {
    case "", "B": exponent = 0
    case "K", "KB", "KIB": exponent = 1
    case "M", "MB", "MIB": exponent = 2
    case "G", "GB", "GIB": exponent = 3
    default: return nil
    }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1 << (10 * exponent))
    return !isTooLarge && range.contains(bytes) ? bytes : nil
  }
}
