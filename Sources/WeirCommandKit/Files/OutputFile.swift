/// A buffered output: a file, or standard output.
///
/// Memory: at most the buffer limit plus the largest single append, unless writes fail, in which case what could not
/// be written stays buffered and the caller is told on each append. Bytes still buffered when it goes away are
/// written then, errors ignored; call ``flush()`` to hear of them.
public struct OutputFile: ~Copyable, Sendable {
  /// The path, or "standard output".
  public let name: String
  private let file: OpenFile
  private let bufferLimit: Int
  private var buffer: [UInt8] = []

  /// Creates `path`; throws ``OutputError/exists(path:)`` for an existing file unless `replacing`.
  public init(creating path: String, replacing: Bool, bufferLimit: Int = 1 << 18) throws(OutputError) {
    do {
      file = try OpenFile(writing: path, replacing ? .replace : .new)
    } catch {
      throw error == .fileExists ? .exists(path: path) : .cannotCreate(path: path, error)
    }
    name = path
    self.bufferLimit = bufferLimit
  }

  /// Standard output, which is not closed at the end.
  public static func standardOutput(bufferLimit: Int = 1 << 18) -> OutputFile {
    OutputFile(borrowing: 1, name: "standard output", bufferLimit: bufferLimit)
  }

  init(borrowing number: Int32, name: String, bufferLimit: Int = 1 << 18) {
    file = OpenFile(borrowing: number)
    self.name = name
    self.bufferLimit = bufferLimit
  }

  deinit {
    var rest = buffer
    try? file.write(&rest)
  }

  /// Appends bytes, writing the buffer out when it is over its limit.
  public mutating func append(_ bytes: [UInt8]) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= bufferLimit { try flush() }
  }

  /// Appends text as UTF-8.
  public mutating func append(_ text: String) throws(OutputError) {
    try append(Array(text.utf8))
  }

  /// Writes all that is buffered.
  public mutating func flush() throws(OutputError) {
    do { try file.write(&buffer) } catch { throw .writeFailed(path: name, error) }
  }
}
