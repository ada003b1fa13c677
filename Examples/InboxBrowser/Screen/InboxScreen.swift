import WeirCommandKit

/// Draws a model: a pure function from the model to as many lines as the terminal has, each exactly as wide as it is.
public enum InboxScreen {
  /// Lines of one message at most; what is longer ends with an ellipsis.
  static let longestMessage = 6

  /// The lines of the screen.
  public static func lines(_ model: InboxModel) -> [ScreenLine] {
    var lines = [header(model)]
    let body = max(model.rows - 2, 0)
    let isSplit = model.columns >= 60
    let listWidth = isSplit ? min(max(model.columns / 3, 24), 44) : model.columns
    let list = isSplit || model.focus == .list ? listLines(model, width: listWidth, height: body) : []
    let timelineWidth = isSplit ? model.columns - listWidth - 1 : model.columns
    let timeline =
      isSplit || model.focus == .timeline ? timelineLines(model, width: timelineWidth, height: body) : []
    for row in 0..<body {
      if isSplit {
        lines.append(list[row] + ScreenLine("│", .dim) + timeline[row])
      } else {
        lines.append(list.isEmpty ? timeline[row] : list[row])
      }
    }
    lines.append(footer(model))
    return Array(lines.prefix(model.rows))
  }

  private static func header(_ model: InboxModel) -> ScreenLine {
    guard let page = model.page else { return ScreenLine(fit(" Inbox", model.columns), .inverse) }
    let text = " Inbox  \(page.count) conversations  \(unread(page.unread, page.unfetched)) unread"
    return ScreenLine(fit(text, model.columns), .inverse)
  }

  /// A number of unread messages: exact, or a range where messages are known to exist that have not come.
  private static func unread(_ unread: Int, _ unfetched: Int64) -> String {
    guard unfetched > 0 else { return "\(unread)" }
    let (most, overflows) = Int64(unread).addingReportingOverflow(unfetched)
    return "\(unread)–\(overflows ? .max : most)"
  }

  private static func footer(_ model: InboxModel) -> ScreenLine {
    if let trouble = model.trouble { return ScreenLine(fit(" \(printable(trouble))", model.columns), .bold) }
    let keys = " ↑↓ move  ←→ list, messages  PgUp PgDn  q quit"
    return ScreenLine(fit(keys, model.columns), .dim)
  }

  private static func listLines(_ model: InboxModel, width: Int, height: Int) -> [ScreenLine] {
    let conversations = model.page?.conversations ?? []
    let selected = conversations.firstIndex { $0.id == model.selected } ?? 0
    // Two lines each; the selected one is kept in the middle where the ends allow it.
    let visible = max(height / 2, 1)
    let first = min(max(selected - visible / 2, 0), max(conversations.count - visible, 0))
    var lines: [ScreenLine] = []
    for conversation in conversations.dropFirst(first).prefix(visible) {
      let isSelected = conversation.id == model.selected
      let style: ScreenStyle = isSelected ? (model.focus == .list ? .inverse : .bold) : .plain
      let hasUnread = conversation.unread > 0 || conversation.unfetched > 0
      let badge = hasUnread ? " \(unread(conversation.unread, conversation.unfetched)) " : ""
      let room = max(width - DisplayWidth.of(badge) - 2, 0)
      let title = fit("\(isSelected ? "▸" : " ") \(printable(conversation.title))", room)
      lines.append(
        ScreenLine(title, hasUnread && style == .plain ? .bold : style)
          + ScreenLine(fit(badge, max(width - room, 0)), style))
      lines.append(ScreenLine(fit("  \(time(conversation.time))  \(printable(conversation.preview))", width), .dim))
    }
    return filled(lines, width: width, height: height)
  }

  private static func timelineLines(_ model: InboxModel, width: Int, height: Int) -> [ScreenLine] {
    guard let page = model.page, page.selected == model.selected else {
      return filled([], width: width, height: height)
    }
    var lines: [ScreenLine] = []
    for message in page.messages {
      let style: ScreenStyle = message.isMine ? .dim : .plain
      let text = "\(time(message.time)) \(printable(message.sender)): \(printable(message.text))"
      lines += wrapped(text, width: width - 1).map { ScreenLine(fit(" \($0)", width), style) }
    }
    // The newest at the bottom, unless scrolled up; never beyond the oldest.
    let last = max(lines.count - min(model.scroll, max(lines.count - height, 0)), 0)
    let shown = Array(lines[..<last].suffix(height))
    return filled(shown, width: width, height: height)
  }

  private static func filled(_ lines: [ScreenLine], width: Int, height: Int) -> [ScreenLine] {
    let blank = ScreenLine(fit("", width), .plain)
    return Array(lines.prefix(height)) + Array(repeating: blank, count: max(height - lines.count, 0))
  }

  /// Text cut or padded to exactly as many cells. A wide character at the edge gives way to a blank.
  static func fit(_ text: String, _ width: Int) -> String {
    let cut = DisplayWidth.truncate(text, to: max(width, 0))
    return cut + String(repeating: " ", count: max(width - DisplayWidth.of(cut), 0))
  }

  /// Text in lines of at most so many cells, broken at blanks where there are any near the edge.
  static func wrapped(_ text: String, width: Int) -> [String] {
    guard width > 1 else { return [text] }
    var lines: [String] = []
    var line = ""
    var used = 0
    for character in text {
      let cells = DisplayWidth.of(character)
      if used + cells > width {
        if let blank = line.lastIndex(of: " "), line.distance(from: blank, to: line.endIndex) < width / 2 {
          let rest = String(line[line.index(after: blank)...])
          lines.append(String(line[..<blank]))
          (line, used) = (rest, DisplayWidth.of(rest))
        } else {
          lines.append(line)
          (line, used) = ("", 0)
        }
        if lines.count == longestMessage {
          let last = lines[longestMessage - 1]
          lines[longestMessage - 1] = DisplayWidth.truncate(last + " …", to: width)
          return lines
        }
      }
      line.append(character)
      used += cells
    }
    return lines + [line]
  }

  /// Day and time of day (UTC) of milliseconds since 1970, as `06-10 07:13`.
  static func time(_ milliseconds: Int64) -> String {
    guard milliseconds > 0 else { return "-----      " }
    let minutes = milliseconds / 60_000
    // Days to a date of the Gregorian calendar, counted from March so that the leap day is the last of a year.
    let days = minutes / 1_440 + 719_468
    let day = days % 146_097
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let (monthNumber, dayNumber) = (month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    let clock = minutes % 1_440
    return "\(two(monthNumber))-\(two(dayNumber)) \(two(clock / 60)):\(two(clock % 60))"
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
