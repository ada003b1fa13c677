/// What each part of a large file says of the whole: stands before its bytes. All parts of a file say the same.
struct LargeManifest: Sendable, Equatable {
  /// Most bytes of a name, in UTF-8.
  static let mostName = 120
  /// The fewest bytes of a part but the last: no file is made of endless tiny ones.
  static let leastPart = 1_024
  /// Most bytes of a file, whatever somebody is willing to take.
  static let mostBytes = 1 << 36
  private static let magic = Array("WEIRPART".utf8)
  /// Bytes in front of the name.
  private static let fixedLength = 8 + 8 + 8 + 4 + 4 + 4 + 1

  /// Tells files of one sender apart.
  let id: UInt64
  /// Bytes of the whole.
  let length: Int
  /// Bytes of each part but the last.
  let part: Int
  /// CRC-32C of the whole.
  let checksum: UInt32
  /// How the sender calls it: for people; nobody uses it as a path.
  let name: String

  /// A file in the largest parts that a transfer carries.
  init(id: UInt64, length: Int, checksum: UInt32, name: String) {
    self.id = id
    self.length = length
    self.checksum = checksum
    var short = name
    while short.utf8.count > Self.mostName { short.removeLast() }
    self.name = short
    part = TransferGeometry.maximumLength - Self.fixedLength - short.utf8.count
  }

  private init(id: UInt64, length: Int, part: Int, checksum: UInt32, name: String) {
    self.id = id
    self.length = length
    self.part = part
    self.checksum = checksum
    self.name = name
  }

  var count: Int { (length + part - 1) / part }

  func length(ofPart index: Int) -> Int { index == count - 1 ? length - index * part : part }

  /// A part as it is sent.
  func bytes(part index: Int, _ content: [UInt8]) -> [UInt8] {
    var bytes = Self.magic
    bytes.append(id, width: 8)
    bytes.append(length, width: 8)
    bytes.append(part, width: 4)
    bytes.append(index, width: 4)
    bytes.append(checksum, width: 4)
    bytes.append(UInt8(name.utf8.count))
    return bytes + Array(name.utf8) + content
  }

  /// What stands before the bytes of a part, without them: as a state file keeps it.
  static func heading(_ bytes: [UInt8]) -> LargeManifest? {
    guard bytes.starts(with: magic) else { return nil }
    var reader = ByteReader(bytes[magic.count...])
    guard let id = try? reader.number(8), let length = try? reader.number(8), let part = try? reader.word(),
      (try? reader.word()) != nil, let checksum = try? reader.word(), (try? reader.byte()) != nil,
      let name = String(validating: reader.remaining(), as: UTF8.self), let length = Int(exactly: length),
      1...mostBytes ~= length,
      leastPart...TransferGeometry.maximumLength ~= Int(part)
    else { return nil }
    return LargeManifest(id: id, length: length, part: Int(part), checksum: checksum, name: name)
  }

  /// What a content says that may be a part; nil when it is none.
  /// - Throws: `protocolMalformed` for a part that can not be one, `invalidDataLength` for a whole of more than `most` bytes.
  static func read(
    _ bytes: [UInt8], most: Int
  ) throws(FileTransferError) -> (manifest: LargeManifest, index: Int, content: [UInt8])? {
    guard bytes.starts(with: magic) else { return nil }
    do throws(TransferError) {
      var reader = ByteReader(bytes[magic.count...])
      let id = try reader.number(8)
      let length = try reader.number(8)
      let part = Int(try reader.word())
      let index = Int(try reader.word())
      let checksum = try reader.word()
      let nameLength = Int(try reader.byte())
      var nameBytes: [UInt8] = []
      guard nameLength <= mostName else { throw TransferError(.protocolMalformed, "a name of \(nameLength) bytes") }
      for _ in 0..<nameLength { nameBytes.append(try reader.byte()) }
      guard let name = String(validating: nameBytes, as: UTF8.self) else {
        throw TransferError(.protocolMalformed, "a name that is no text")
      }
      guard length > 0, length <= UInt64(max(0, min(most, mostBytes))) else {
        throw TransferError(.invalidDataLength, "a file of \(length) bytes; at most \(most) are taken")
      }
      guard leastPart...TransferGeometry.maximumLength ~= part else {
        throw TransferError(.protocolMalformed, "parts of \(part) bytes")
      }
      let manifest = LargeManifest(id: id, length: Int(length), part: part, checksum: checksum, name: name)
      let content = reader.remaining()
      guard index < manifest.count, content.count == manifest.length(ofPart: index) else {
        throw TransferError(.protocolMalformed, "part \(index) of \(manifest.count) with \(content.count) bytes")
      }
      return (manifest, index, content)
    } catch {
      throw FileTransferError(error)
    }
  }
}
