import WeirChunks

/// Chat texts of about 60 bytes that no dictionary has seen, written for this.
enum ChatSamples {
  /// Bytes on the air for each byte of text, tags included.
  static func share() throws -> Double {
    let codec = try SmallMessageCodec()
    let (raw, coded) = try texts.reduce((0, 0)) { sums, text in
      (sums.0 + text.utf8.count, sums.1 + (try codec.encode(Array(text.utf8)).count))
    }
    return Double(coded) / Double(raw)
  }

  static let texts = [
    "we are past the second bridge, water is up to the railing here",
    "can somebody bring two more batteries when you come up?",
    "lost you for a minute, say again after the fuel part",
    "the road by the mill is closed, take the one along the lake",
    "ok, I will wait at the gate until half past six then",
    "anyone seen the blue tent bag? it was next to the stove",
    "signal is bad down here, I will call from the ridge tonight",
    "thanks for the soup yesterday, the kids loved it",
    "we need a doctor at camp three, nothing broken but he is dizzy",
    "the antenna fell over again, can you hold it while I tie it?",
    "is there still room in your car for my sister and the dog",
    "weather report says snow from noon, start early if you can",
    "found the key, it was in my other jacket the whole time",
    "tell Anna the meeting is moved to Thursday, same room",
    "who has the map with the old trails on it? please send a photo",
    "yes, both boats are tied up and the engine is covered",
    "我们已经过了第二座桥，水快到栏杆了，你们小心",
    "谁上来的时候可以多带两块电池吗？这边快没电了",
    "山下信号不好，我今晚到山脊上再给你打电话",
    "路口那条路封了，走湖边的那条，大概多十分钟",
    "会议改到星期四了，还是原来的房间，帮我告诉安娜",
    "昨天的汤很好喝，孩子们都很喜欢，谢谢你",
    "你的车还坐得下我妹妹和那只狗吗？我们三点出发",
    "钥匙找到了，原来一直在另一件外套的口袋里",
  ]
}
