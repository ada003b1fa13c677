/// The content of a message as far as it is expanded (receiving spec §1.5).
public enum MessageContent: Sendable, Equatable {
  /// Plain text (101).
  case text(String)
  /// Text that mentions users (106).
  case mention(Mention)
  /// An answer that quotes a message (114).
  case quote(Quote)
  /// Application data (110, 119, 120).
  case custom(Custom)
  /// A picture (102).
  case picture(Picture)
  /// Rich text (117), its plain form.
  case richText(String)
  /// Markdown source (118).
  case markdown(String)
  /// Content that is not expanded: an unknown number, a missing or a broken element. The line it came in is kept.
  case placeholder(contentType: Int32)

  /// Text that mentions users.
  public struct Mention: Sendable, Equatable {
    /// The text, mentions included.
    public var text: String
    /// The mentioned users; `AtAllTag` stands for everybody.
    public var userIDs: [String]
    /// Whether the account is mentioned. Computed here, since the sender's own flag tells the sender's view.
    public var mentionsMe: Bool

    /// Whether everybody is mentioned.
    public var mentionsAll: Bool { userIDs.contains("AtAllTag") }
  }

  /// An answer that quotes a message.
  public struct Quote: Sendable, Equatable {
    /// The answer.
    public var text: String
    /// The client id of the quoted message; empty when the sender did not say.
    public var clientMsgID: String
    /// Who sent the quoted message.
    public var senderID: String
    /// The content number of the quoted message; 2101 when it was recalled since.
    public var contentType: Int32
  }

  /// Application data.
  public struct Custom: Sendable, Equatable {
    /// The data, by convention JSON.
    public var data: String
    /// Words for people.
    public var description: String
    /// More data.
    public var `extension`: String
  }

  /// A picture.
  public struct Picture: Sendable, Equatable {
    /// The original.
    public var source: Image
    /// The reduced one to show.
    public var big: Image
    /// The thumbnail.
    public var snapshot: Image
  }

  /// One rendition of a picture.
  public struct Image: Sendable, Equatable {
    /// Where to load it from.
    public var url: String = ""
    /// Media type or file extension, as the sender named it.
    public var type: String = ""
    /// Bytes.
    public var size: Int64 = 0
    /// Pixels.
    public var width: Int64 = 0
    /// Pixels.
    public var height: Int64 = 0
  }

  /// One line for a conversation list: white space and control characters collapsed, at most 120 characters.
  public var preview: String {
    switch self {
    case .text(let text), .richText(let text), .markdown(let text): Self.line(text)
    case .mention(let mention): Self.line(mention.text)
    case .quote(let quote): Self.line(quote.text)
    case .custom(let custom): custom.description.isEmpty ? "[Custom]" : Self.line(custom.description)
    case .picture: "[Picture]"
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
