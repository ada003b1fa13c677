import WeirChat

/// The column that holds what no index needs, as our store packs it (`MessageRow`).
extension PlainLoop {
  private static let checksum: [UInt8] = [0x5A, 0x5A, 0x5A, 0x5A]
  /// Bytes that a message on its way keeps free for its acknowledgement.
  private static let room: UInt8 = 30
  private static let (before, after) = (#"{"content":""#.utf8.count, #""}"#.utf8.count)

  func rest(of message: ChatMessage, _ sender: Int64, revision: Int64) throws -> [UInt8] {
    let envelope = message.envelope
    var rest: [UInt8] = []
    rest.reserveCapacity(200)
    rest += Self.checksum
    if envelope.sendTime > 0 {
      rest.append(2 | 4 | 8 | 16 | 32)
      Self.pack(revision, &rest)
      PlainConnection.withBytes(id: envelope.serverMsgID) { rest.append(contentsOf: $0) }
    } else {
      rest += [2 | 4 | 8 | 128, 1]
      Self.pack(revision, &rest)
      rest.append(0)
    }
    Self.pack(try text(envelope.receiverID), &rest)
    let distance = try text(envelope.senderNickname) - sender
    Self.pack(distance << 1 ^ distance >> 63, &rest)
    Self.pack(Int64(envelope.platformID), &rest)
    Self.pack(Int64(envelope.origin), &rest)
    if envelope.sendTime == 0 {
      rest.append(Self.room)
      rest.append(contentsOf: repeatElement(0, count: Int(Self.room)))
    }
    if case .element(let bytes) = message.body {
      bytes.withUnsafeBytes { rest.append(contentsOf: $0[Self.before..<($0.count - Self.after)]) }
    }
    return rest
  }

  /// The same of a message that was on its way, with its place.
  func acknowledged(_ rest: [UInt8], _ serverMsgID: String, revision: Int64) -> [UInt8] {
    var place = Self.checksum.count + 2
    func skipNumber() {
      while rest[place] >= 0x80 { place += 1 }
      place += 1
    }
    // The revision, and the empty id of the server.
    skipNumber()
    place += 1
    let start = place
    for _ in 0..<4 { skipNumber() }
    var changed: [UInt8] = []
    changed.reserveCapacity(rest.count)
    changed += Self.checksum
    changed.append(2 | 4 | 8 | 32 | 64)
    Self.pack(revision, &changed)
    PlainConnection.withBytes(id: serverMsgID) { changed.append(contentsOf: $0) }
    changed += rest[start..<place]
    changed += [0, 0, 0, 2, 13, 14]
    changed += rest[(place + 1 + Int(Self.room))...]
    return changed
  }

  /// Adds a number with seven bits a byte.
  static func pack(_ number: Int64, _ bytes: inout [UInt8]) {
    var rest = UInt64(bitPattern: number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
