import Glibc

/// A folder in which a receiver keeps the parts of files that are not whole: at most two, for a day. Each is one file, there whole
/// or not at all, and with a checksum; what is damaged or not ours counts as not there.
///
/// The content of the files is what came over the air, readable to whoever can read the folder.
public struct TransferPartialFolder: Sendable {
  /// Where it is.
  public let path: String

  /// - Parameter path: of a folder that exists.
  public init(path: String) { self.path = path }

  private static let magic = Array("weir-partial-1\n".utf8)
  private static let suffix = ".partial"
  /// A part with the longest content in the shortest chunks.
  private static let mostBytes = TransferGeometry.maximumLength + 8_192

  private func file(_ key: TransferPartial.Key) -> String {
    path + "/" + String(key.content, radix: 16) + "-" + String(key.source) + "-" + String(key.chunk) + Self.suffix
  }

  func save(_ partial: TransferPartial) throws(FileTransferError) {
    var bytes = Self.magic
    let key = partial.key
    bytes.append(key.source)
    bytes.append(key.content, width: 8)
    bytes.append(key.wireLength, width: 3)
    bytes.append(key.codec)
    bytes.append(key.chunk, width: 2)
    let here = partial.buffer.here
    var map = [UInt8](repeating: 0, count: (partial.buffer.geometry.count + 7) / 8)
    for range in here { for index in range { map[index / 8] |= 0x80 >> UInt8(index % 8) } }
    bytes += map
    bytes += partial.buffer.bytes
    bytes.append(ContentChecksum.of(bytes), width: 4)
    try AtomicFile.write(bytes, to: file(key))
    removeAllBut(Self.most)
  }

  private static var most: Int { TransferPartials.most }

  func drop(_ key: TransferPartial.Key) { unlink(file(key)) }

  /// All that is kept and not older than a day, the newest last.
  func load() -> [TransferPartial] {
    files().filter { $0.age < 86_400 }.compactMap { file in
      AtomicFile.read(file.path, most: Self.mostBytes).flatMap(Self.partial)
    }
  }

  private static func partial(_ bytes: [UInt8]) -> TransferPartial? {
    guard bytes.starts(with: magic), bytes.count > magic.count + 19 else { return nil }
    var reader = ByteReader(bytes[magic.count..<bytes.count - 4])
    var end = ByteReader(bytes[(bytes.count - 4)...])
    do throws(TransferError) {
      guard try end.word() == ContentChecksum.of(bytes[..<(bytes.count - 4)]) else { return nil }
      let key = TransferPartial.Key(
        source: try reader.byte(), content: try reader.number(8), wireLength: Int(try reader.number(3)),
        codec: try reader.byte(), chunk: Int(try reader.short()))
      let geometry = try TransferGeometry(length: key.wireLength, chunk: key.chunk)
      var buffer = ChunkBuffer(geometry)
      let rest = reader.remaining()
      let mapLength = (geometry.count + 7) / 8
      guard rest.count == mapLength + geometry.length else { return nil }
      for index in 0..<geometry.count where rest[index / 8] & (0x80 >> UInt8(index % 8)) != 0 {
        let start = mapLength + index * geometry.chunk
        _ = buffer.insert(Array(rest[start..<start + (geometry.length(ofChunkAt: index) ?? 0)]), at: index)
      }
      return TransferPartial(key: key, buffer: buffer)
    } catch {
      return nil
    }
  }

  private func removeAllBut(_ most: Int) {
    let files = files()
    for file in files.dropLast(most) { unlink(file.path) }
  }

  /// The files of parts and their age in seconds, the newest last.
  private func files() -> [(path: String, age: Int)] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var found: [(path: String, age: Int, time: Int)] = []
    let now = time(nil)
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasSuffix(Self.suffix) else { continue }
      var status = stat()
      let path = self.path + "/" + name
      guard stat(path, &status) == 0 else { continue }
      let seconds = status.st_mtim.tv_sec
      found.append((path, max(0, now - seconds), seconds &* 1_000_000_000 &+ status.st_mtim.tv_nsec))
    }
    return found.sorted { $0.time < $1.time }.map { ($0.path, $0.age) }
  }
}
