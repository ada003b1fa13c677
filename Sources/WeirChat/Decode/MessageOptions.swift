/// The options of a message on the wire that bear on receiving it. An absent key counts as true (receiving spec §1.3).
struct MessageOptions {
  /// Whether the payload has options at all. Callbacks leave them out, which tells nothing.
  var areStated = false
  /// Whether the server stores the message and gives it a seq.
  var history = true
  var unreadCount = true
  var conversationUpdate = true
  /// Off for messages that burn after reading.
  var notPrivate = true
  /// Off for messages of the notification twin of a conversation.
  var isNotNotification = true

  init() {}

  init(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.skipNull() { return }
    areStated = true
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "history": history = try Self.isOn(&reader)
      case "unreadCount": unreadCount = try Self.isOn(&reader)
      case "conversationUpdate": conversationUpdate = try Self.isOn(&reader)
      case "notPrivate": notPrivate = try Self.isOn(&reader)
      case "isNotNotification": isNotNotification = try Self.isOn(&reader)
      default: try reader.skipValue()
      }
    }
  }

  private static func isOn(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    try reader.skipNull() ? true : try reader.bool()
  }
}
