/// Messages as OpenIM's callbacks and wire deliver them, for the decoding benchmark.
enum ChatLines {
  /// About the mix of a busy account: mostly text, some mentions, quotes and pictures.
  static func callbacks(_ count: Int) -> [[UInt8]] {
    (0..<count).map { index in
      let (number, element) = element(index)
      return Array(
        """
        {"clientMsgID":"\(id(index))","serverMsgID":"\(id(index &+ 7))","createTime":\(1_718_000_000_000 + index),\
        "sendTime":\(1_718_000_000_040 + index),"sessionType":3,"sendID":"88421109\(index % 90 + 10)","recvID":"",\
        "msgFrom":100,"contentType":\(number),"senderPlatformID":2,"senderNickname":"林小雨",\
        "senderFaceUrl":"https://files.example.org/openim/avatar/88421109\(index % 90 + 10).png",\
        "groupID":"3027148891","seq":\(index + 1),"isRead":false,"status":2,\(element),\
        "attachedInfoElem":{"groupHasReadInfo":{"hasReadCount":0,"groupMemberCount":0},"isPrivateChat":false,\
        "burnDuration":0,"hasReadTime":0,"isEncryption":false,"inEncryptStatus":false}}
        """.utf8)
    }
  }

  private static func element(_ index: Int) -> (Int, String) {
    switch index % 16 {
    case 3: (106, #""atTextElem":{"text":"@林小雨 看一下","atUserList":["7315502264"],"isAtSelf":false}"#)
    case 7:
      (
        102,
        #""pictureElem":{"sourcePath":"","sourcePicture":{"uuid":"u","type":"jpeg","size":90210,"width":800,"height":600,"url":"https://files.example.org/1.jpg"},"bigPicture":{"uuid":"u","type":"jpeg","size":90210,"width":800,"height":600,"url":"https://files.example.org/1.jpg"},"snapshotPicture":{"width":80,"height":60,"url":"https://files.example.org/s.jpg"}}"#
      )
    case 11:
      (
        114,
        #""quoteElem":{"text":"yes, that one","quoteMessage":{"clientMsgID":"0f3c1b2a4d5e6f708192a3b4c5d6e7f8","sendID":"bob","contentType":101,"textElem":{"content":"this?"}}}"#
      )
    case 5, 13: (101, #""textElem":{"content":"line one\nline two, he said \"no\" 👍🏽"}"#)
    default: (101, #""textElem":{"content":"晚上七点在老地方见，带上伞 ☔️ let us move the call to 15:30"}"#)
    }
  }

  private static func id(_ index: Int) -> String {
    let digits = String(UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
