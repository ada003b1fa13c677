import Glibc
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a received content was to a large file.
public enum LargeReception: Sendable, Equatable {
  /// No part of one: a file for itself.
  case notAPart
  /// A part; how many of how many are here. Also for one that was here already.
  case part(here: Int, of: Int)
  /// The last part: the whole file, checked, is at `path`.
  case complete(path: String, name: String)
}

/// Puts the parts of large files together in a folder, over restarts too.
///
/// A part is on the disk before it is noted as here, and notes are there whole or not at all; so whenever the machine stops, a part is
/// at most received again. Names come from whoever sent them: of a name only its last component is used, cleaned, and no file is
/// overwritten.
///
/// Bounds: ``maximumBytes`` of a file; ``mostOpen`` files that are not whole, of which the oldest gives way; parts of at least 1,024
/// bytes, so notes of at most 128 KiB for each GiB. Space is taken by parts that came, not by lengths that were claimed.
public final class LargeTransferReceiver: Sendable {
  /// Files that may be under way.
  public static let mostOpen = 4
  /// Files that are remembered as whole.
  private static let mostDone = 64

  /// Most bytes of a file; never over 64 GiB.
  public let maximumBytes: Int
  private let folder: String
  private let turn = Mutex(())

  /// - Parameters:
  ///   - folder: exists; holds whole files, and those under way in files that begin with `.weir-`.
  ///   - maximumBytes: a longer file is refused at its first part.
  public init(folder: String, maximumBytes: Int = 1 << 30) {
    self.folder = folder
    self.maximumBytes = max(1, min(maximumBytes, LargeManifest.mostBytes))
  }

  /// Takes a content that was received. Waits for the disk: not for the main actor.
  /// - Throws: ``FileTransferError`` `protocolMalformed` for a part that contradicts itself or others of its file, `invalidDataLength`
  ///   for too large a file, `crcMismatch` when the whole is not what was sent (all of it is dropped), `transport` with what the
  ///   disk says.
  public func take(_ content: Data, from source: UInt8) throws(FileTransferError) -> LargeReception {
    guard let part = try LargeManifest.read(Array(content), most: maximumBytes) else { return .notAPart }
    return try turn.withLock { _ throws(FileTransferError) in try take(part.manifest, part.index, part.content, source)
    }
  }

  private func take(
    _ manifest: LargeManifest, _ index: Int, _ content: [UInt8], _ source: UInt8
  ) throws(FileTransferError) -> LargeReception {
    let mark = String(source) + "-" + String(manifest.id, radix: 16)
    guard !done.contains(mark) else { return .part(here: manifest.count, of: manifest.count) }
    let base = folder + "/.weir-" + mark
    var notes = try Notes.load(base + ".notes", manifest) ?? makeNotes(manifest)
    if !notes.isHere[index] {
      let file = try LargeFile(writing: base + ".parts")
      try file.write(content, at: index * manifest.part)
      notes.isHere[index] = true
      try notes.save(base + ".notes")
    }
    let here = notes.isHere.count { $0 }
    guard here == manifest.count else { return .part(here: here, of: manifest.count) }
    let isRight = try LargeFile(reading: base + ".parts").checksum(count: manifest.length) == manifest.checksum
    guard isRight else {
      drop(base)
      throw .crcMismatch
    }
    let path = try publish(base + ".parts", as: manifest.name)
    try remember(mark)
    drop(base)
    return .complete(path: path, name: manifest.name)
  }

  private func makeNotes(_ manifest: LargeManifest) -> Notes {
    let open = bases()
    for old in open.prefix(max(0, open.count - Self.mostOpen + 1)) { drop(old) }
    return Notes(manifest: manifest, isHere: [Bool](repeating: false, count: manifest.count))
  }

  private func drop(_ base: String) {
    unlink(base + ".notes")
    unlink(base + ".parts")
  }

  /// Gives the whole file a name that no other has.
  private func publish(_ parts: String, as name: String) throws(FileTransferError) -> String {
    let clean = Self.clean(name)
    for number in 1...10_000 {
      let path = folder + "/" + (number == 1 ? clean : "\(number)-\(clean)")
      if link(parts, path) == 0 { return path }
      guard errno == EEXIST else { throw AtomicFile.failure("cannot be made", path) }
    }
    throw .transport("\(folder) has ten thousand files of the name \(clean)")
  }

  /// A name that names a file in this folder and nothing else.
  static func clean(_ name: String) -> String {
    let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
    let kept = last.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) }
    let text = String(String.UnicodeScalarView(kept)).drop { $0 == "." || $0 == " " }
    return text.isEmpty ? "received" : String(text)
  }

  // MARK: Notes

  private var donePath: String { folder + "/.weir-done" }

  private var done: [String] {
    guard let bytes = AtomicFile.read(donePath, most: 1 << 16) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func remember(_ mark: String) throws(FileTransferError) {
    let marks = (done + [mark]).suffix(Self.mostDone)
    try AtomicFile.write(Array((marks.joined(separator: "\n") + "\n").utf8), to: donePath)
  }

  /// The files under way, the oldest first.
  private func bases() -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [(base: String, time: Int)] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(".weir-"), name.hasSuffix(".notes") else { continue }
      var status = stat()
      guard stat(folder + "/" + name, &status) == 0 else { continue }
      found.append(
        (folder + "/" + name.dropLast(6), status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec))
    }
    return found.sorted { $0.time < $1.time }.map(\.base)
  }

  /// Which parts of a file are here.
  private struct Notes {
    let manifest: LargeManifest
    var isHere: [Bool]

    func save(_ path: String) throws(FileTransferError) {
      var bytes = manifest.bytes(part: 0, [])
      var map = [UInt8](repeating: 0, count: (isHere.count + 7) / 8)
      for index in isHere.indices where isHere[index] { map[index / 8] |= 0x80 >> UInt8(index % 8) }
      bytes += map
      bytes.append(ContentChecksum.of(bytes), width: 4)
      try AtomicFile.write(bytes, to: path)
    }

    /// - Throws: `protocolMalformed` when another file of this number is under way.
    static func load(_ path: String, _ manifest: LargeManifest) throws(FileTransferError) -> Notes? {
      guard let bytes = AtomicFile.read(path, most: 1 << 22) else { return nil }
      let heading = manifest.bytes(part: 0, [])
      let mapLength = (manifest.count + 7) / 8
      var end = ByteReader(bytes.suffix(4))
      // Damaged notes are worth nothing: all is received again.
      guard bytes.count > 4, let checksum = try? end.word(), checksum == ContentChecksum.of(bytes.dropLast(4)) else {
        return nil
      }
      guard bytes.starts(with: heading), bytes.count == heading.count + mapLength + 4 else { throw .protocolMalformed }
      let isHere = (0..<manifest.count).map { index in
        bytes[heading.count + index / 8] & (0x80 >> UInt8(index % 8)) != 0
      }
      return Notes(manifest: manifest, isHere: isHere)
    }
  }
}
