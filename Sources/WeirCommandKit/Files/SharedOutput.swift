import Synchronization

/// Standard output for several tasks: whole pieces of text, in the order of the calls.
final class SharedOutput: Sendable {
  // Writing under the lock is meant: pieces of several tasks must not mix.
  private let file = Mutex(OutputFile.standardOutput())

  /// Appends text; it is written when the buffer is full, or by ``flush()``.
  func append(_ bytes: [UInt8]) throws(OutputError) {
    try file.withLock { (file) throws(OutputError) in try file.append(bytes) }
  }

  /// Appends text as UTF-8.
  func append(_ text: String) throws(OutputError) { try append(Array(text.utf8)) }

  /// Writes all that is buffered.
  func flush() throws(OutputError) {
    try file.withLock { (file) throws(OutputError) in try file.flush() }
  }
}
