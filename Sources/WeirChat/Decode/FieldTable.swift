/// The fields of a payload that the decoders read (receiving spec §1.2, §1.5), in all shapes. The sender's picture is
/// spelt in three ways, the push information and the mentioned users in two.
enum Field: String, CaseIterable, Sendable {
  case clientMsgID, serverMsgID, createTime, sendTime, sessionType, sendID, recvID, groupID, msgFrom, contentType
  case senderPlatformID, senderNickname, senderFaceUrl, senderFaceURL, faceURL, seq, isRead, status, ex
  case attachedInfo, attachedInfoElem, content, options
  case textElem, pictureElem, soundElem, videoElem, fileElem, atTextElem, mergeElem, cardElem, locationElem
  case customElem, typingElem, quoteElem, faceElem, advancedTextElem, markdownTextElem, notificationElem
  case revokerID, revokerRole, revokeTime, sourceMessageSendID, isAdminRevoke
  case sesstionType  // misspelt upstream, in the notification's detail only
  case conversationID, userID, platformIDs, callbackCommand
}

/// Finds a field by the bytes of its key, without making a string. The names lie in one array, because an array for each
/// would be retained and released at every look.
struct FieldTable: Sendable {
  /// The one table.
  static let shared = FieldTable()

  private static let size = 512

  private struct Slot: Sendable {
    var field: Field
    var start: Int
    var count: Int
  }

  private var names: [UInt8] = []
  private var slots: [Slot?] = Array(repeating: nil, count: size)

  init() {
    for field in Field.allCases {
      let name = Array(field.rawValue.utf8)
      var index = name.withUnsafeBufferPointer { Self.slot(of: $0) }
      while slots[index] != nil { index = (index + 1) & (Self.size - 1) }
      slots[index] = Slot(field: field, start: names.count, count: name.count)
      names += name
    }
  }

  /// The field called by `key`; nil for a key the decoder does not read.
  func field(_ key: JSONText, in bytes: UnsafeBufferPointer<UInt8>) -> Field? {
    if key.isEscaped { return key.unescaped(in: bytes).withUnsafeBufferPointer { find($0) } }
    return find(UnsafeBufferPointer(rebasing: bytes[key.range]))
  }

  private func find(_ name: UnsafeBufferPointer<UInt8>) -> Field? {
    guard !name.isEmpty else { return nil }
    var index = Self.slot(of: name)
    while let slot = slots[index] {
      if slot.count == name.count && matches(name, at: slot.start) { return slot.field }
      index = (index + 1) & (Self.size - 1)
    }
    return nil
  }

  private func matches(_ name: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    for index in 0..<name.count where names[start + index] != name[index] { return false }
    return true
  }

  /// Length, ends and middle tell the known names well apart.
  private static func slot(of name: UnsafeBufferPointer<UInt8>) -> Int {
    guard let first = name.first, let last = name.last else { return 0 }
    return (name.count &* 37 &+ Int(first) &* 5 &+ Int(last) &* 3 &+ Int(name[name.count / 2]) &* 11) & (size - 1)
  }
}
