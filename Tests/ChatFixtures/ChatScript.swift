/// A long, repeatable stream of callback lines: several conversations, own and foreign messages, redeliveries, twins
/// under another seq, read copies, deletions, filtered copies and recalls before and after their message.
public struct ChatScript: Sendable {
  /// The account whose callbacks these are.
  public static let account = "7315502264"

  private static let words = [
    "ok", "good morning", "did you see the invoice?", "明天几点出发", "收到，谢谢！", "👍🏽", "let us move the call to 15:30",
    "the build is green again", "Посмотри, пожалуйста", "line one\nline two", "he said \"no\"", "см. вложение",
  ]

  /// `count` lines of the stream of `seed`, in order of delivery.
  public static func lines(seed: UInt64, count: Int, conversations: Int = 12) -> [[UInt8]] {
    var random = SeededRandom(seed)
    var originals: [CallbackLine] = []
    var seqs = [Int64](repeating: 0, count: conversations)
    var lines: [[UInt8]] = []
    lines.reserveCapacity(count)
    while lines.count < count {
      if !originals.isEmpty && random.once(in: 4) {
        // Mostly recent messages come again, some old ones.
        let recent = random.once(in: 5) ? originals.count : min(originals.count, 20)
        var copy = originals[originals.count - 1 - random.below(recent)]
        lines.append(again(&copy, &random))
      } else {
        let original = message(&random, conversations, &seqs)
        originals.append(original)
        if random.once(in: 30) {
          lines.append(original.recallNotice(by: original.sendID, at: original.sendTime + 5_000).bytes)
          if lines.count == count { break }
        }
        lines.append(original.bytes)
      }
    }
    return lines
  }

  private static func message(
    _ random: inout SeededRandom, _ conversations: Int, _ seqs: inout [Int64]
  ) -> CallbackLine {
    // The lower of two draws: some conversations are much busier than others.
    let place = min(random.below(conversations), random.below(conversations))
    seqs[place] += 1
    var line = CallbackLine.group(random.pick(words), id: hexadecimal(&random), seq: seqs[place])
    line.serverMsgID = hexadecimal(&random)
    line.sendTime = 1_718_000_000_000 + Int64(random.below(50)) * 1_000 + seqs[place] * 40_000
    line.createTime = line.sendTime - Int64(random.below(3_000))
    line.sendID = random.once(in: 6) ? account : "88421109\(10 + random.below(20))"
    line.senderNickname = "用户 \(line.sendID.suffix(2))"
    line.senderFaceUrl = "https://files.example.org/avatar/\(line.sendID).png"
    if place % 3 == 0 {
      line.sessionType = 1
      line.groupID = ""
      let peer = "66120044\(10 + place)"
      (line.sendID, line.recvID) = line.sendID == account ? (account, peer) : (peer, account)
    } else {
      line.groupID = "30271488\(10 + place)"
    }
    switch random.below(20) {
    case 0:
      line.contentType = 102
      line.element = (
        "pictureElem",
        #"{"sourcePicture":{"url":"https://files.example.org/p/1.jpg","size":4711,"width":4,"height":3}}"#
      )
    case 1:
      line.contentType = 103
      line.element = ("soundElem", #"{"uuid":"u","sourceUrl":"https://files.example.org/s/1.amr","duration":7}"#)
    case 2:
      line.contentType = 106
      line.element = ("atTextElem", "{\"text\":\"@you look\",\"atUserList\":[\"\(account)\"]}")
    default: break
    }
    return line
  }

  private static func again(_ copy: inout CallbackLine, _ random: inout SeededRandom) -> [UInt8] {
    switch random.below(10) {
    case 0...3: break
    case 4:
      copy.seq += 1_000_000
      copy.sendTime += 60_000
      copy.serverMsgID = hexadecimal(&random)
    case 5: copy.isRead = true
    case 6:
      copy.status = 4
      copy.element = ("", "")
    case 7: copy.status = 5
    case 8: return Array(copy.recallCallback(by: copy.sendID, at: copy.sendTime + 9_000).utf8)
    default: return copy.recallNotice(by: copy.sendID, at: copy.sendTime + 7_000).bytes
    }
    return copy.bytes
  }

  private static func hexadecimal(_ random: inout SeededRandom) -> String {
    let digits = Array("0123456789abcdef")
    return String((0..<32).map { _ in digits[random.below(16)] })
  }
}
