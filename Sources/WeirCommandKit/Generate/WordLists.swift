/// Words that generated names and sentences are put together from.
enum WordLists {
  static let englishGivenNames = [
    "Ada", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kemal", "Lucia", "Maeve",
    "Nils", "Oona", "Pavel", "Rosa", "Stefan", "Tamsin", "Uma", "Viktor", "Wanda", "Yara", "Zoë",
  ]
  static let englishFamilyNames = [
    "Abel", "Brandt", "Costa", "Dahl", "Evans", "Fuchs", "Garcia", "Horn", "Ito", "Jansen", "Kowal", "Lind", "Moreau",
    "Novak", "O'Hara", "Petrov", "Quist", "Rossi", "Sato", "Tran", "Usman", "Varga", "Weiss", "Young",
  ]
  static let chineseFamilyNames = [
    "王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "徐", "孙", "胡", "朱", "高", "林", "何", "郭", "马", "罗", "欧阳",
  ]
  static let chineseGivenNames = [
    "伟", "芳", "娜", "敏", "静", "丽", "强", "磊", "洋", "艳", "勇", "军", "杰", "娟", "涛", "明", "超", "秀英", "建华", "志强",
    "晓东", "雨桐", "子轩", "梓涵", "思远", "若曦",
  ]

  static let englishOpeners = [
    "Hi,", "Hello,", "Okay,", "By the way,", "Sorry,", "Good morning,", "Well,", "Quick question:", "Thanks,", "FYI:",
  ]
  static let englishSubjects = [
    "I", "we", "you", "they", "the driver", "my sister", "the customer", "our team", "the office", "the landlord",
    "the new colleague", "somebody",
  ]
  static let englishVerbs = [
    "will bring", "forgot", "found", "can pay for", "should check", "already sent", "have to cancel", "want to see",
    "could not open", "asked about", "will pick up", "just finished", "moved", "need",
  ]
  static let englishObjects = [
    "the tickets", "the invoice", "the blue folder", "two chairs", "the keys", "the translation", "the router",
    "lunch", "the contract", "a spare battery", "the photos from the trip", "the meeting notes", "the report",
    "your umbrella", "the second parcel",
  ]
  static let englishPlaces = [
    "at the station", "in the kitchen", "near the bridge", "at the office", "on the third floor", "in the car",
    "behind the school", "at home", "at gate 12", "in the harbour",
  ]
  static let englishTimes = [
    "today", "tomorrow morning", "at half past six", "before noon", "next Tuesday", "after the meeting", "tonight",
    "in ten minutes", "over the weekend", "as soon as the rain stops",
  ]
  static let englishClosers = [".", ".", ".", "!", "?", "...", ". Is that all right?", ". Thanks!", ". See you."]

  static let chineseTimes = [
    "今天", "明天上午", "下班以后", "周末", "刚才", "晚上八点", "等一下", "下个星期二", "中午之前", "开完会",
  ]
  static let chineseSubjects = ["我", "我们", "你", "司机", "客户", "妹妹", "新来的同事", "房东", "他们", "老师", "前台"]
  static let chineseVerbs = [
    "要去取", "忘了带", "找到了", "已经发了", "想看看", "打不开", "需要", "改好了", "把东西放在车里，顺便买了", "正在检查",
    "准备取消", "帮忙付了",
  ]
  static let chineseObjects = [
    "车票", "发票", "蓝色的文件夹", "两把椅子", "钥匙", "翻译稿", "路由器", "午饭", "合同", "备用电池", "上次旅行的照片", "会议纪要",
    "第二个包裹", "报告", "雨伞",
  ]
  static let chineseClosers = ["。", "。", "！", "？", "，可以吗？", "，谢谢！", "，回头见。", "……", "，你看行不行？"]

  /// What breaks careless code: emoji sequences, quotation marks, line breaks, a tab, a backslash, an address.
  static let oddities = [
    " 😀", " 👍🏽", " 👨‍👩‍👧‍👦", " 🇨🇳🇩🇪", " \"as agreed\"", "\n- first\n- second", "\tsee below", " C:\\temp\\new",
    " https://example.org/a?b=1&c=%E4%BD%A0", " e\u{301}te\u{301}", " \u{202E}abc", " <b>bold</b>", " 中文English混排",
    " \u{1B}[31mred\u{1B}[0m",
  ]
}
