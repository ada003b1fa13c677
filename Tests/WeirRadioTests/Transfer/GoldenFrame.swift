@testable import WeirRadio

/// A frame, and its bytes as a second implementation, written from the table of the decision note, made them.
struct GoldenFrame {
  let name: String
  let packet: TransferPacket
  let authentication: TransferAuthentication?
  let bytes: [UInt8]

  init(_ name: String, _ packet: TransferPacket, under authentication: TransferAuthentication? = nil, _ hex: String) {
    self.name = name
    self.packet = packet
    self.authentication = authentication
    bytes = WeirRadioTests.bytes(hex)
  }

  static func all(_ wire: WireFixture) -> [GoldenFrame] {
    var zstd = wire.initiation
    zstd.versions = 1...2
    zstd.profiles = [.phyAck, .burstSack]
    zstd.originalLength = TransferGeometry.maximumLength
    zstd.codec = 1
    zstd.dictionary = 0xBEEF
    zstd.rate = 7
    zstd.isResumable = false
    let nonce: UInt64 = 0x1112_1314_1516_1718
    let fresh = TransferAcceptance(nonce: nonce, chunk: 64, burst: 240)
    let partly = TransferAcceptance(nonce: nonce, chunk: 64, burst: 240, base: 3, received: [5..<7, 9..<10])
    let chunk = TransferData(index: 2, bytes: Array(wire.content[128..<192]))
    let last = TransferData(index: 15, bytes: Array(wire.content[960...]), endsBurst: true)
    let phyLast = TransferData(index: 15, bytes: Array(wire.content[960...]))
    let bits = TransferStatus(
      number: 1, missing: [2..<3, 7..<8, 9..<10], of: wire.session.geometry, quarterDecibels: -10, rate: 18,
      nextTransmission: 250)
    let runs = TransferStatus(
      number: 0xFFFF, missing: [100..<400, 1_000..<1_001], of: wire.largeSession.geometry, rate: 4)
    let whole = TransferStatus(number: 2, missing: [], of: wire.session.geometry, quarterDecibels: 38, rate: 18)
    let sum = zip(wire.content[0..<64], wire.content[64..<128]).map { $0 ^ $1 }
    let parity = TransferParity(base: 0, span: 2, seed: 0, bytes: sum)
    return [
      GoldenFrame(
        "init", wire.packet(.initiation(wire.initiation)),
        "b7412211123400000001020304050607080202020003e80003e800000000400febb5486ccc67d412012f176692383a40"
          + "5abe98"),
      GoldenFrame(
        "initZstd", wire.packet(.initiation(zstd)),
        "b7412211123400000001020304050607080102030003e807ffff01beef00400febb5486ccc67d40700f4a6d15eb86e43"
          + "43a355"),
      GoldenFrame(
        "accepted", wire.packet(.answer(.accepted(partly)), from: .receiver),
        "b7421122123400000000111213141516171802020040f000033260964857f26be045bbc2"),
      GoldenFrame(
        "acceptedFresh", wire.packet(.answer(.accepted(fresh)), from: .receiver),
        "b7421122123400000000111213141516171802020040f000006a3da4d30d64ba86a42a"),
      GoldenFrame(
        "busy", wire.packet(.answer(.refused(.busy)), from: .receiver),
        "b74211221234000000010ec7c1d0be00a25c3cd9"),
      GoldenFrame(
        "tooBig", wire.packet(.answer(.refused(.tooBig)), from: .receiver),
        "b7421122123400000002890b5161f5db98793ece"),
      GoldenFrame(
        "noCodec", wire.packet(.answer(.refused(.noCodec)), from: .receiver),
        "b7421122123400000003ee7a37e82302a18fbf53"),
      GoldenFrame(
        "noSpace", wire.packet(.answer(.refused(.noSpace)), from: .receiver),
        "b74211221234000000047d313b617479e8396d92"),
      GoldenFrame(
        "quota", wire.packet(.answer(.refused(.quota)), from: .receiver),
        "b742112212340000000506e15cccd59881bf7604"),
      GoldenFrame(
        "noProfile", wire.packet(.answer(.refused(.noProfile)), from: .receiver),
        "b742112212340000000608fe6a9dad29d38c0559"),
      GoldenFrame(
        "data", wire.packet(.data(chunk)),
        "b7432211123400020080878e959ca3aab1b8bfc6cdd4dbe2e9f0f7fe050c131a21282f363d444b525960676e757c838a"
          + "91989fa6adb4bbc2c9d0d7dee5ecf3fa01080f161d242b323942e162021b5e"),
      GoldenFrame(
        "dataLast", wire.packet(.data(last)),
        "b74322111234000f0140474e555c636a71787f868d949ba2a9b0b7bec5ccd3dae1e8eff6fd040b121920272e353c434a"
          + "518180b08280e4"),
      GoldenFrame(
        "statusBits", wire.packet(.status(bits), from: .receiver),
        "b744112212340001000002000d0010f61200fa00856275115da9796a05962d"),
      GoldenFrame(
        "statusRuns", wire.packet(.status(runs), from: .receiver), under: .session(wire.largeSession),
        "b74411221234ffff0000647ed380008004000001012c02580001dbbe5dc9ce365721bf96"),
      GoldenFrame(
        "statusWhole", wire.packet(.status(whole), from: .receiver),
        "b744112212340002000010001000102612000000083e1758d2082afec5e7"),
      GoldenFrame(
        "poll", wire.packet(.poll(number: 7)),
        "b74522111234000700937ef2f6c6650879ae57"),
      GoldenFrame(
        "finish", wire.packet(.finish(TransferFinish(of: wire.content, key: wire.key))),
        "b7462211123400000079a16ae60febb5486ccc67d47fd2659f9740df8fe890"),
      GoldenFrame(
        "verdict_whole", wire.packet(.finishAnswer(.whole), from: .receiver),
        "b7471122123400000000eb51511867f6238fa7b0"),
      GoldenFrame(
        "verdict_incomplete", wire.packet(.finishAnswer(.incomplete), from: .receiver),
        "b74711221234000000019db2f0eca1f49384fbd6"),
      GoldenFrame(
        "verdict_checksumDiffers", wire.packet(.finishAnswer(.checksumDiffers), from: .receiver),
        "b74711221234000000027f9e1728be95c8787393"),
      GoldenFrame(
        "verdict_contentDiffers", wire.packet(.finishAnswer(.contentDiffers), from: .receiver),
        "b74711221234000000030ffda42c95823ea1f3ff"),
      GoldenFrame(
        "verdict_codecFailed", wire.packet(.finishAnswer(.codecFailed), from: .receiver),
        "b74711221234000000048595e0cca229d2998b8e"),
      GoldenFrame(
        "cancel", wire.packet(.cancel(TransferCancel(reason: .retriesExceeded, by: .sender))),
        "b748221112340000000200a075190b48bb25d5ee20"),
      GoldenFrame(
        "cancelAnswer",
        wire.packet(.cancel(TransferCancel(reason: .retriesExceeded, by: .sender, isAnswer: true)), from: .receiver),
        "b7481122123400000202009095170a0f820322f315"),
      GoldenFrame(
        "cancelEarly", wire.packet(.cancel(TransferCancel(reason: .wanted, by: .sender, isEarly: true))),
        "b748221112340000040000e00e331fa92fabd72857"),
      GoldenFrame(
        "cancelReceiver", wire.packet(.cancel(TransferCancel(reason: .wanted, by: .receiver)), from: .receiver),
        "b7481122123400000000011ee707ad51e9b8962f7a"),
      GoldenFrame(
        "pause", wire.packet(.pause(TransferPause(number: 3, milliseconds: 1_500))),
        "b74922111234000300000005dc19cbbc5ffa079acca705"),
      GoldenFrame(
        "resume", wire.packet(.resume(TransferPause(number: 3, milliseconds: 0)), from: .receiver),
        "b74a1122123400030000000000f85297b5251f3ecd4488"),
      GoldenFrame(
        "message", wire.packet(.message(TransferMessage(number: 9, bytes: Array("hello, 你好".utf8))), from: .receiver),
        "b74b1122123400090068656c6c6f2c20e4bda0e5a5bd2b0c8ca91d79b35b9049"),
      GoldenFrame(
        "parity", wire.packet(.parity(parity)),
        "b74c22111234000000000200000000c0c0c0c0c0c0c0c0c0c0404040404040404040c0c0c0c0c0c0c0c0c04040404040"
          + "40404040c0c0c0c0c0c0c0c0c0404040404040404040c0c0c0c0c0c0c0c0c09ba6a35c1072"),
      GoldenFrame(
        "fileInit", wire.packet(.fileInitiation(wire.fileInitiation), version: .phyAck),
        "b7212211123400000001020304050607080101010003e8004079a16ae63ba0cc99cf92801cec27"),
      GoldenFrame(
        "fileData", wire.packet(.data(chunk), version: .phyAck),
        "b7232211123400020080878e959ca3aab1b8bfc6cdd4dbe2e9f0f7fe050c131a21282f363d444b525960676e757c838a"
          + "91989fa6adb4bbc2c9d0d7dee5ecf3fa01080f161d242b32399b750628b273"),
      GoldenFrame(
        "fileDataLast", wire.packet(.data(phyLast), version: .phyAck),
        "b72322111234000f0040474e555c636a71787f868d949ba2a9b0b7bec5ccd3dae1e8eff6fd040b121920272e353c434a"
          + "51a791dc8a451c"),
      GoldenFrame(
        "fileCancelSender", wire.packet(.cancel(TransferCancel(reason: .wanted, by: .sender)), version: .phyAck),
        "b72822111234000000000067c26128c37979ced413"),
      GoldenFrame(
        "fileCancelReceiver",
        wire.packet(.cancel(TransferCancel(reason: .radioLost, by: .receiver)), from: .receiver, version: .phyAck),
        "b728112212340000000301af9a9315014cb7fc1883"),
    ]
  }
}
