import Glibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the sending of a large file ended.
public struct LargeTransferResult: Sendable, Equatable {
  /// How the last part ended: a success only where every part did. A file that cannot be read is a `failure(.transport)`.
  public let outcome: FileTransferOutcome
  /// How the radio was left.
  public let restoration: FileTransferRestoration
  /// Parts that are there.
  public let partsSent: Int
  /// Parts of the file; 0 where it could not be read.
  public let parts: Int
}

/// Sends files of any length as parts, each of which is a transfer of its own with all that this proves, and goes on where it was
/// after a failure or a restart.
///
/// Which parts are there is written to a state file after each, before the next begins; the file is there whole or not at all.
/// A file that has changed since, by length or checksum, is sent from its beginning. Parts go in order.
///
/// Memory: one part, as the manager needs it.
public struct LargeTransferSender: Sendable {
  /// Tries of each part where another may go well.
  public var triesPerPart = 3

  private let manager: FileTransferManager

  /// Sends through a manager.
  public init(_ manager: FileTransferManager) { self.manager = manager }

  /// Sends a file.
  /// - Parameters:
  ///   - path: of the file.
  ///   - name: how the receiver is to call it, at most 120 bytes of it.
  ///   - sourceShortID: the station that sends.
  ///   - targetShortID: the station that is to receive.
  ///   - controlKey: the secret of the two stations, 16 bytes.
  ///   - state: where the state file is kept, one for each file that is under way; removed at the end.
  ///   - progress: told how many parts are there, and of how many.
  public func send(
    path: String, name: String, sourceShortID: UInt8, targetShortID: UInt8, controlKey: Data, state: String,
    progress: (@Sendable (_ parts: Int, _ of: Int) -> Void)? = nil
  ) async -> LargeTransferResult {
    do throws(FileTransferError) {
      let file = try LargeFile(reading: path)
      let length = try file.length
      guard 1...LargeManifest.mostBytes ~= length else { throw .invalidDataLength }
      let checksum = try file.checksum(count: length)
      var course = Course.load(state, source: sourceShortID, target: targetShortID)
      if course?.manifest.length != length || course?.manifest.checksum != checksum || course?.manifest.name != name {
        let manifest = LargeManifest(
          id: manager.options.nonce(), length: length, checksum: checksum, name: name)
        course = Course(manifest: manifest, source: sourceShortID, target: targetShortID, next: 0)
      }
      guard var course else { throw .internalFailure("a course was made and is not there") }
      let manifest = course.manifest
      try course.save(state)
      var restoration = FileTransferRestoration.notRequired
      progress?(course.next, manifest.count)
      while course.next < manifest.count {
        let content = try file.read(at: course.next * manifest.part, count: manifest.length(ofPart: course.next))
        let request = try FileTransferSendRequest(
          data: Data(manifest.bytes(part: course.next, content)), sourceShortID: sourceShortID,
          targetShortID: targetShortID, controlKey: controlKey)
        let result = await send(request)
        restoration = result.restoration
        guard result.outcome == .success else {
          return LargeTransferResult(
            outcome: result.outcome, restoration: restoration, partsSent: course.next, parts: manifest.count)
        }
        course.next += 1
        try course.save(state)
        progress?(course.next, manifest.count)
      }
      unlink(state)
      return LargeTransferResult(
        outcome: .success, restoration: restoration, partsSent: manifest.count, parts: manifest.count)
    } catch {
      return LargeTransferResult(outcome: .failure(error), restoration: .notRequired, partsSent: 0, parts: 0)
    }
  }

  private func send(_ request: FileTransferSendRequest) async -> FileTransferResult {
    var tries = 1
    while true {
      let result = await manager.send(request)
      guard case .failure(let error) = result.outcome, error.isRetryable, tries < triesPerPart, !Task.isCancelled,
        result.restoration == .restored || result.restoration == .notRequired
      else { return result }
      tries += 1
    }
  }

  /// How far a file is.
  struct Course: Sendable, Equatable {
    let manifest: LargeManifest
    let source: UInt8
    let target: UInt8
    var next: Int

    private static let magic = Array("weir-large-1\n".utf8)

    func save(_ path: String) throws(FileTransferError) {
      var bytes = Self.magic + [source, target]
      bytes.append(next, width: 4)
      bytes += manifest.bytes(part: 0, [])
      bytes.append(ContentChecksum.of(bytes), width: 4)
      try AtomicFile.write(bytes, to: path)
    }

    /// What was written; nil where there is nothing, it is damaged, or belongs to other stations.
    static func load(_ path: String, source: UInt8, target: UInt8) -> Course? {
      guard let bytes = AtomicFile.read(path, most: 1_024), bytes.starts(with: magic), bytes.count > magic.count + 10
      else {
        return nil
      }
      let body = bytes.dropLast(4)
      var end = ByteReader(bytes.suffix(4))
      var reader = ByteReader(body[magic.count...])
      guard let checksum = try? end.word(), checksum == ContentChecksum.of(body),
        let written = try? (reader.byte(), reader.byte(), reader.word()), written.0 == source, written.1 == target,
        let manifest = LargeManifest.heading(reader.remaining()), Int(written.2) <= manifest.count
      else { return nil }
      return Course(manifest: manifest, source: source, target: target, next: Int(written.2))
    }
  }
}
