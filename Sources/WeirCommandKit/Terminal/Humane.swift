/// Numbers, sizes and times written for people. Pure functions; no locale: a point for decimals, commas for thousands.
public enum Humane {
  /// `1234567` → `1,234,567`.
  public static func count(_ value: some BinaryInteger) -> String {
    let digits = String(value.magnitude)
    var grouped = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { grouped.append(",") }
      grouped.append(digit)
    }
    return grouped
  }

  /// `215_340` → `215k`, `1_250_000` → `1.25M`: three significant digits, up to 999 in full.
  public static func short(_ value: Double) -> String {
    scaled(value, by: 1_000, units: ["", "k", "M", "G", "T", "P"])
  }

  /// `1536` → `1.50 KiB`; up to 1,023 bytes in full.
  public static func bytes(_ value: Int64) -> String {
    scaled(Double(value), by: 1_024, units: [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"])
  }

  /// `215_340` per second → `215k/s`.
  public static func rate(_ perSecond: Double) -> String { short(perSecond) + "/s" }

  /// A share between 0 and 1 in whole percent, rounded down so that `100%` is said only when all is done.
  public static func percent(_ share: Double) -> String {
    guard share.isFinite else { return "?%" }
    return "\(Int(min(max(share, 0), 1) * 100))%"
  }

  /// `0.25 s` → `250ms`, `72 s` → `1m12s`, `11_100 s` → `3h05m`, beyond a day `2d03h`.
  public static func duration(_ value: Duration) -> String {
    let (seconds, attoseconds) = value.components
    guard value >= .zero else { return "-" + duration(.zero - value) }
    let milliseconds = attoseconds / 1_000_000_000_000_000
    switch seconds {
    case 0: return milliseconds > 0 ? "\(milliseconds)ms" : attoseconds > 0 ? "<1ms" : "0s"
    case 1..<10: return "\(seconds).\(milliseconds / 100)s"
    case 10..<60: return "\(seconds)s"
    case 60..<3_600: return "\(seconds / 60)m" + twoDigits(seconds % 60) + "s"
    case 3_600..<86_400: return "\(seconds / 3_600)h" + twoDigits(seconds % 3_600 / 60) + "m"
    default: return "\(seconds / 86_400)d" + twoDigits(seconds % 86_400 / 3_600) + "h"
    }
  }

  /// Milliseconds since 1970 as a date and time of day in UTC, `2024-06-10 06:13:20.123`; `-` for 0 and below.
  public static func time(_ milliseconds: Int64) -> String {
    guard milliseconds > 0 else { return "-" }
    // Days to a date of the Gregorian calendar, counted from March so that the leap day is the last of a year.
    let days = milliseconds / 86_400_000 + 719_468
    let (era, day) = days.quotientAndRemainder(dividingBy: 146_097)
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let monthNumber = month < 10 ? month + 3 : month - 9
    let yearNumber = era * 400 + year + (monthNumber <= 2 ? 1 : 0)
    let clock = milliseconds % 86_400_000
    let fraction = String(1_000 + clock % 1_000).dropFirst()
    return "\(yearNumber)-\(twoDigits(monthNumber))-\(twoDigits(dayOfYear - (153 * month + 2) / 5 + 1)) "
      + "\(twoDigits(clock / 3_600_000)):\(twoDigits(clock / 60_000 % 60)):\(twoDigits(clock / 1_000 % 60)).\(fraction)"
  }

  /// Decimals without rounding up, so that `999.99` never reads as a thousand of the smaller unit.
  private static func scaled(_ value: Double, by base: Double, units: [String]) -> String {
    guard value.isFinite else { return "?" }
    guard value >= 0 else { return "-" + scaled(-value, by: base, units: units) }
    var rest = value
    var unit = 0
    while rest >= base, unit < units.count - 1 {
      rest /= base
      unit += 1
    }
    let decimals = unit == 0 || rest >= 100 ? 0 : rest >= 10 ? 1 : 2
    return fixed(rest, decimals) + units[unit]
  }

  private static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value < 1e15 else { return value.description }
    let factor = [1, 10, 100][decimals]
    let scaled = Int(value * Double(factor))
    guard decimals > 0 else { return String(scaled) }
    let fraction = String(scaled % factor)
    return "\(scaled / factor)." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
