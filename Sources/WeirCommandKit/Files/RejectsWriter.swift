import Synchronization

/// A line that was not accepted, as it is kept for the user.
public struct Reject: Sendable, Equatable {
  /// The input's name as the user gave it.
  public var file: String
  /// Line number, from 1.
  public var line: Int
  /// Byte offset of the line's first byte in its file, from 0.
  public var offset: Int64
  /// Stable code of the refusal, such as `line.too-long`.
  public var code: String
  /// Why it was refused, for people.
  public var reason: String
  /// The whole raw line, or only its start when ``length`` says that it was longer.
  public var bytes: [UInt8]
  /// Length of the whole line in bytes when ``bytes`` is only its start, otherwise nil.
  public var length: Int64?

  /// A refusal; `length` only when `bytes` is not the whole line.
  public init(
    file: String, line: Int, offset: Int64, code: String, reason: String, bytes: [UInt8], length: Int64? = nil
  ) {
    self.file = file
    self.line = line
    self.offset = offset
    self.code = code
    self.reason = reason
    self.bytes = bytes
    self.length = length
  }

  /// The record: one JSON object `{file, line, offset, code, reason, text | base64}`. `text` when the line is UTF-8,
  /// else `base64`; both give back the raw bytes exactly. `length` is added when the line was longer than what is kept.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("file", file)
    writer.field("line", line)
    writer.field("offset", offset)
    writer.field("code", code)
    writer.field("reason", reason)
    if let length { writer.field("length", length) }
    if let text = String(validating: bytes, as: UTF8.self) {
      writer.field("text", text)
    } else {
      writer.key("base64")
      writer.string(validUTF8: Base64.encode(bytes))
    }
    writer.endObject()
    writer.endLine()
  }
}

/// Appends refused lines to a file as JSON lines, so that nothing is lost; may be shared by many writers.
///
/// Appending keeps what earlier runs left there; when an earlier run was cut off inside a record, a line break comes
/// first. The file holds message text, so it is created readable by its owner only. Memory: the buffer limit plus one
/// record (about 1.4 times a line). After a failed write the rest stays buffered, and ``flush()`` tries it again.
public final class RejectsWriter: Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var count = 0
  }

  /// The path as the user gave it.
  public let path: String
  private let file: OpenFile
  private let bufferLimit: Int
  // Writing under the lock is meant: records of several threads must not mix, and refusals are rare.
  private let state: Mutex<State>

  /// Opens `path` for appending, creating it when missing.
  public init(path: String, bufferLimit: Int = 1 << 16) throws(OutputError) {
    self.path = path
    self.bufferLimit = bufferLimit
    var initial = State()
    do {
      file = try OpenFile(writing: path, .append, isPrivate: true)
      if let last = try file.lastByte(), last != UInt8(ascii: "\n") { initial.buffer.append(UInt8(ascii: "\n")) }
    } catch {
      throw .cannotCreate(path: path, error)
    }
    state = Mutex(initial)
  }

  deinit {
    try? flush()
  }

  /// Refusals appended so far, also those still buffered.
  public var count: Int { state.withLock { $0.count } }

  /// Appends one record; throws ``OutputError/writeFailed(path:_:)`` when the buffer had to be written and could not.
  public func append(_ reject: Reject) throws(OutputError) {
    var writer = JSONWriter()
    reject.write(to: &writer)
    let record = writer.bytes
    try state.withLock { (state) throws(OutputError) in
      state.buffer.append(contentsOf: record)
      state.count += 1
      if state.buffer.count >= bufferLimit { try write(&state.buffer) }
    }
  }

  /// Writes all that is buffered.
  public func flush() throws(OutputError) {
    try state.withLock { (state) throws(OutputError) in try write(&state.buffer) }
  }

  private func write(_ buffer: inout [UInt8]) throws(OutputError) {
    do { try file.write(&buffer) } catch { throw .writeFailed(path: path, error) }
  }
}
