/// The callback message as a program would write it for Foundation's JSONDecoder: the fields and elements that
/// `OpenIMCallbackDecoder` reads from the benchmark's lines.
struct CodableMessage: Decodable {
  struct Text: Decodable { var content: String? }
  struct Mention: Decodable {
    var text: String?
    var atUserList: [String]?
  }
  struct Quoted: Decodable {
    var clientMsgID: String?
    var sendID: String?
    var contentType: Int32?
    var textElem: Text?
  }
  struct Quote: Decodable {
    var text: String?
    var quoteMessage: Quoted?
  }
  struct Image: Decodable {
    var url: String?
    var type: String?
    var size: Int64?
    var width: Int64?
    var height: Int64?
  }
  struct Picture: Decodable {
    var sourcePicture: Image?
    var bigPicture: Image?
    var snapshotPicture: Image?
  }
  struct Attached: Decodable {
    var isPrivateChat: Bool?
    var burnDuration: Int64?
    var hasReadTime: Int64?
  }

  var clientMsgID: String
  var serverMsgID: String?
  var sendID: String
  var recvID: String?
  var groupID: String?
  var senderNickname: String?
  var senderFaceUrl: String?
  var ex: String?
  var attachedInfo: String?
  var createTime: Int64
  var sendTime: Int64
  var seq: Int64
  var sessionType: Int32
  var msgFrom: Int32
  var contentType: Int32
  var senderPlatformID: Int32
  var status: Int32
  var isRead: Bool
  var textElem: Text?
  var atTextElem: Mention?
  var quoteElem: Quote?
  var pictureElem: Picture?
  var attachedInfoElem: Attached?
}
