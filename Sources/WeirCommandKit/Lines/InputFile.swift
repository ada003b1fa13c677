/// One input of a ``LineSource``: its descriptor, how far it was read, and its unfinished line.
struct InputFile: Sendable {
  /// What a read brought.
  enum Progress: Equatable {
    /// This many bytes are in the block.
    case bytes(Int)
    /// Nothing yet, but more may come.
    case nothingYet
    /// The end, for now at least.
    case end
  }

  /// What became of a followed file since its end was reached.
  enum Change: Equatable { case none, truncated, replaced, vanished }

  let input: LineInput
  var splitter: LineSplitter
  /// True once nothing more will come from it.
  var isFinished = false
  /// True until the first block was looked at.
  var isFresh = true
  /// The name was found to stand for no file, and that has been said.
  var isVanished = false
  private var file: OpenFile?
  private var isRegular = false
  /// Where the next read begins.
  private(set) var offset: Int64

  init(_ input: LineInput, source: Int, limit: Int) {
    self.input = input
    let start = input.start
    splitter = LineSplitter(source: source, limit: limit, position: start)
    offset = start.offset
  }

  var isOpen: Bool { file != nil }

  /// Opens it and moves to its start position; true when the file turned out to be too short for that and will be
  /// read from its beginning.
  mutating func open(source: Int, limit: Int) throws(LineSourceError) -> Bool {
    let opened: OpenFile
    let status: OpenFile.Status
    do {
      switch input {
      case .file(let path, _): opened = try OpenFile(reading: path)
      case .standardInput: opened = OpenFile(borrowing: 0)
      case .descriptor(let number, _): opened = OpenFile(borrowing: number)
      }
      status = try opened.status()
    } catch {
      throw error == .noSuchFile ? .missing(path: input.name) : .unreadable(path: input.name, error)
    }
    guard !status.isDirectory else { throw .directory(path: input.name) }
    let isTooShort = status.isRegular && input.path != nil && offset > status.size
    if isTooShort { restart(source: source, limit: limit) }
    do {
      if status.isRegular, offset > 0 { try opened.seek(to: offset) }
    } catch {
      throw .unreadable(path: input.name, error)
    }
    file = opened
    isRegular = status.isRegular
    return isTooShort
  }

  /// Reads once; never waits.
  mutating func read(into block: inout [UInt8]) throws(LineSourceError) -> Progress {
    guard let file else { return .end }
    do {
      if !isRegular, try !file.isReadyToRead() { return .nothingYet }
      guard let count = try file.read(into: &block) else { return .nothingYet }
      offset += Int64(count)
      return count > 0 ? .bytes(count) : .end
    } catch {
      throw .readFailed(path: input.name, offset: offset, error)
    }
  }

  /// Only a regular file with a name can be followed; the end of a pipe is final.
  var canBeFollowed: Bool { isRegular && input.path != nil }

  /// Compares the open file with what its name stands for now.
  func change() throws(LineSourceError) -> Change {
    guard let file, let path = input.path else { return .none }
    do {
      let open = try file.status()
      if open.size < offset { return .truncated }
      let named = try OpenFile.status(of: path)
      return named.identity == open.identity ? .none : .replaced
    } catch {
      if error == .noSuchFile { return .vanished }
      throw .readFailed(path: path, offset: offset, error)
    }
  }

  /// Goes back to the beginning of the same open file.
  mutating func rewind(source: Int, limit: Int) throws(LineSourceError) {
    do { try file?.seek(to: 0) } catch { throw .readFailed(path: input.name, offset: offset, error) }
    restart(source: source, limit: limit)
  }

  /// Closes it; the next turn opens whatever its name stands for then, from the beginning.
  mutating func reopen(source: Int, limit: Int) {
    file = nil
    restart(source: source, limit: limit)
  }

  /// Closes it for good.
  mutating func finish() {
    file = nil
    isFinished = true
  }

  private mutating func restart(source: Int, limit: Int) {
    splitter = LineSplitter(source: source, limit: limit)
    offset = 0
    isFresh = true
  }
}

extension LineInput {
  var path: String? {
    if case .file(let path, _) = self { path } else { nil }
  }

  var start: LinePosition {
    if case .file(_, let position) = self { position } else { .start }
  }
}
