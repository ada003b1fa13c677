/// The rows of the lists of people that a notice carries (numbers 1201–1299 and 1501–1599).
///
/// Only what is told whole is taken: a row as the server writes it into the list, or that an entry left the list. What
/// names ids alone (someone was blocked, a remark was changed) has to be fetched. Facts are ordered by the server's time of
/// their notice, so a notice without one tells nothing that could be kept.
struct SocialNotice {
  private let account: String
  private let time: Int64
  private var rows: [String: [Row]] = [:]

  /// The keys under which rows stand, alone or in a list.
  private static let keys: Set<String> = [
    "friend", "request", "fromToUserID", "group", "quitUser", "entrantUser", "changedUser", "mutedUser",
    "newGroupOwner", "oldGroupOwnerInfo", "memberList", "kickedUserList", "invitedUserList",
  ]

  /// What a notice of this number tells, read from its detail; nothing when that cannot be read.
  static func facts(_ notice: NoticeEvent) -> [Fact] {
    guard notice.time > 0, notice.subject == .friends || notice.subject == .group else { return [] }
    let social = notice.detail.withUnsafeBufferPointer { bytes -> SocialNotice? in
      try? SocialNotice(bytes, account: notice.account, time: notice.time)
    }
    guard let social else { return [] }
    let facts = notice.subject == .friends ? social.friends(notice.contentType) : social.group(notice.contentType)
    return facts.map { .social($0) }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, account: String, time: Int64) throws(JSONError) {
    (self.account, self.time) = (account, time)
    var reader = JSONReader(bytes)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      let name = key.string(in: bytes)
      guard Self.keys.contains(name) else {
        try reader.skipValue()
        continue
      }
      rows[name] = try Self.rows(&reader)
    }
    try reader.finish()
  }

  private static func rows(_ reader: inout JSONReader) throws(JSONError) -> [Row] {
    guard try reader.peek() == UInt8(ascii: "[") else { return [Row(reader.bytes, try reader.skipValue())] }
    var rows: [Row] = []
    try reader.beginArray()
    while try reader.nextElement() {
      let range = try reader.skipValue()
      if rows.count < ElementDecoder.listLimit { rows.append(Row(reader.bytes, range)) }
    }
    return rows
  }

  /// One object with the ids it may be filed under; all empty when it is none.
  private struct Row {
    var json: [UInt8] = []
    var userID = "", groupID = "", ownerID = "", fromID = "", toID = ""

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
      var reader = JSONReader(bytes, range: range)
      guard (try? read(&reader)) != nil else {
        self = Row()
        return
      }
      json = [UInt8](bytes[range])
    }

    private init() {}

    private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
      try reader.beginObject()
      while let name = try reader.nextName() {
        switch name {
        case "userID": userID = try reader.string()
        case "groupID": groupID = try reader.string()
        case "ownerUserID": ownerID = try reader.string()
        case "fromUserID": fromID = try reader.string()
        case "toUserID": toID = try reader.string()
        case "friendUser", "userInfo": userID = Row(reader.bytes, try reader.skipValue()).userID
        case "groupInfo": groupID = Row(reader.bytes, try reader.skipValue()).groupID
        default: try reader.skipValue()
        }
      }
    }
  }

  // MARK: Lists

  private func friends(_ contentType: Int32) -> [SocialFact] {
    switch contentType {
    case 1_201...1_203:
      return all("request").filter { !$0.fromID.isEmpty && !$0.toID.isEmpty }.map { row in
        entry(.friendRequests, "", SocialFact.friendRequestID(from: row.fromID, to: row.toID), row)
      }
    case 1_204:
      // Both sides are told, each with a row of its own.
      return all("friend").filter { $0.ownerID.utf8Equals(account) && !$0.userID.isEmpty }.map { row in
        entry(.friendships, "", row.userID, row)
      }
    case 1_205, 1_208:
      let scope = contentType == 1_205 ? SocialFact.Scope.friendships : .blocks
      return all("fromToUserID").filter { $0.fromID.utf8Equals(account) && !$0.toID.isEmpty }.map { row in
        entry(scope, "", row.toID)
      }
    default: return []
    }
  }

  private func group(_ contentType: Int32) -> [SocialFact] {
    switch contentType {
    case 1_501: return groups() + members("memberList")
    case 1_502, 1_514, 1_515, 1_519, 1_520: return groups()
    case 1_503, 1_506: return requests()
    case 1_505: return requests() + groups()
    case 1_504: return leaving("quitUser")
    case 1_507: return groups() + members("newGroupOwner") + members("oldGroupOwnerInfo")
    case 1_508: return leaving("kickedUserList")
    case 1_509: return groups() + members("invitedUserList")
    case 1_510: return groups() + members("entrantUser")
    case 1_511: return groups(isRemoved: true)
    case 1_512, 1_513: return groups() + members("mutedUser")
    case 1_516...1_518: return groups() + members("changedUser")
    default: return []
    }
  }

  private func groups(isRemoved: Bool = false) -> [SocialFact] {
    all("group").filter { !$0.groupID.isEmpty }.map { entry(.groups, "", $0.groupID, isRemoved ? nil : $0) }
  }

  private func requests() -> [SocialFact] {
    all("request").filter { !$0.groupID.isEmpty && !$0.userID.isEmpty }.map { row in
      entry(.groupJoinRequests, row.groupID, row.userID, row)
    }
  }

  private func members(_ key: String, areRemoved: Bool = false) -> [SocialFact] {
    let group = all("group").first?.groupID ?? ""
    return all(key).compactMap { row in
      let groupID = row.groupID.isEmpty ? group : row.groupID
      guard !groupID.isEmpty, !row.userID.isEmpty else { return nil }
      return entry(.groupMembers, groupID, row.userID, areRemoved ? nil : row)
    }
  }

  /// Members who left; with the account among them the group left its list as well.
  private func leaving(_ key: String) -> [SocialFact] {
    groups(isRemoved: all(key).contains { $0.userID.utf8Equals(account) }) + members(key, areRemoved: true)
  }

  private func all(_ key: String) -> [Row] { rows[key] ?? [] }

  /// An entry with its row; without one it left the list.
  private func entry(_ scope: SocialFact.Scope, _ scopeID: String, _ entityID: String, _ row: Row? = nil) -> SocialFact
  {
    SocialFact(
      account: account, scope: scope, scopeID: scopeID, entityID: entityID, revision: time, isRemoved: row == nil,
      payload: row?.json ?? [])
  }
}
