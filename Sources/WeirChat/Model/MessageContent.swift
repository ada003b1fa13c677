/// The content of a message as far as it is expanded (receiving spec §1.5).
public enum MessageContent: Sendable, Equatable {
  /// Plain text (101).
  case text(String)
  /// A picture (102).
  indirect case picture(Picture)
  /// A voice message (103).
  indirect case sound(Sound)
  /// A video (104).
  indirect case video(Video)
  /// A file (105).
  indirect case file(File)
  /// Text that mentions users (106).
  indirect case mention(Mention)
  /// Messages forwarded as one (107).
  indirect case merged(Merged)
  /// A user's card (108).
  indirect case card(Card)
  /// A place on earth (109).
  case location(Location)
  /// Application data (110, 119, 120).
  indirect case custom(Custom)
  /// An answer that quotes a message (114).
  indirect case quote(Quote)
  /// A sticker (115).
  case face(Face)
  /// Text with marks (117).
  case richText(RichText)
  /// Markdown source (118).
  case markdown(String)
  /// A notice of the server (every other number that has a `notificationElem`).
  case notification(Notification)
  /// Content that is not expanded: an unknown number, a missing or a broken element. The line it came in is kept.
  case placeholder(contentType: Int32)

  /// One line for a conversation list: white space and control characters collapsed, at most 120 characters.
  public var preview: String {
    switch self {
    case .text(let text), .markdown(let text): Self.line(text)
    case .richText(let text): Self.line(text.text)
    case .mention(let mention): Self.line(mention.text)
    case .quote(let quote): Self.line(quote.text)
    case .custom(let custom): custom.description.isEmpty ? "[Custom]" : Self.line(custom.description)
    case .picture: "[Picture]"
    case .sound: "[Voice]"
    case .video: "[Video]"
    case .file(let file): file.name.isEmpty ? "[File]" : Self.line("[File] " + file.name)
    case .merged(let merged): merged.title.isEmpty ? "[Chat history]" : Self.line("[Chat history] " + merged.title)
    case .card(let card): card.nickname.isEmpty ? "[Card]" : Self.line("[Card] " + card.nickname)
    case .location(let place): place.description.isEmpty ? "[Location]" : Self.line("[Location] " + place.description)
    case .face: "[Sticker]"
    case .notification: "[Notice]"
    case .placeholder(let type): "[\(Self.name(of: type))]"
    }
  }

  private static func line(_ text: String) -> String {
    var line = ""
    var count = 0
    var isGap = false
    for character in text {
      if character.isWhitespace || character.unicodeScalars.allSatisfy({ $0.properties.generalCategory == .control }) {
        isGap = count > 0
        continue
      }
      if isGap {
        line.append(" ")
        count += 1
        isGap = false
      }
      if count >= 120 { return line + "…" }
      line.append(character)
      count += 1
    }
    return line
  }

  private static func name(of contentType: Int32) -> String {
    switch contentType {
    case 101, 106, 114, 117, 118: "Text"
    case 102: "Picture"
    case 103: "Voice"
    case 104: "Video"
    case 105: "File"
    case 107: "Chat history"
    case 108: "Card"
    case 109: "Location"
    case 110, 119, 120: "Custom"
    case 115: "Sticker"
    case 1_200..<2_300: "Notice"
    default: "Unsupported message"
    }
  }
}
