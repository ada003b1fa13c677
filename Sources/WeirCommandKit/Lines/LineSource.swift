/// Reads the lines of files and standard input, one input after the other, by pulling.
///
/// - Emits: lines in order, as soon as one block brought some; it never waits for a chunk to fill.
/// - Waits: for a pipe or terminal without data, and at the end of followed files, with the injected sleep. The calling
///   thread is never blocked in a read that has to wait; reads of regular files are synchronous, a block at a time.
/// - Finishes: at the end of the last input; never while a file is followed. Cancels: between blocks and in waits.
/// - Memory: one block, the longest accepted line of each open input, and what the caller keeps.
/// - A line over the limit is reported as ``LineSourceEvent/refused(_:)`` and skipped; the next ones are delivered.
///   Bytes that are no text are delivered: refusing them is the decoder's affair.
///
/// Following (`--follow`) is by name: a file that shrank is read again from its beginning, a name that stands for a new
/// file is reopened after the old file was read to its end; each is reported, and line numbers start again. A file that
/// was cut and grew beyond the old length between two looks cannot be told from one that only grew. The unfinished last
/// line of a followed file is held back until its line break comes, or the file is cut or replaced.
public struct LineSource: ~Copyable, Sendable {
  /// How to read.
  public struct Settings: Sendable {
    /// Bytes asked for in one read.
    public var blockSize = 1 << 18
    /// Longest line accepted, in bytes without its line break.
    public var longestLine = 16 << 20
    /// Go on at the end of files, waiting for them to grow.
    public var follow = false
    /// Time between two looks at followed files.
    public var followInterval = Duration.milliseconds(200)
    /// Longest time between two looks at a quiet pipe; the first look comes after a millisecond.
    public var pipeInterval = Duration.milliseconds(20)
    /// Waits; the default is `Task.sleep`. It throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The defaults.
    public init() {}
  }

  /// Bytes of all inputs together, from their start positions; nil when one is no regular file. For estimates.
  public let totalBytes: Int64?
  /// Bytes read so far.
  public private(set) var bytesRead: Int64 = 0

  private let settings: Settings
  private let notify: @Sendable (LineSourceEvent) -> Void
  private var files: [InputFile]
  private var current = 0
  private var block: [UInt8]
  private var position = 0
  private var end = 0
  /// Inputs in a row that had nothing; when all had nothing it is time to wait.
  private var idleInputs = 0
  private var quietWaits = 0

  /// Checks that every input can be opened, so that a wrong name is told before work starts, and opens them when their
  /// turn comes. `notify` is called while ``next(into:limit:)`` runs, before later lines are returned.
  public init(
    _ inputs: [LineInput], settings: Settings = Settings(),
    notify: @escaping @Sendable (LineSourceEvent) -> Void = { _ in }
  ) throws(LineSourceError) {
    var total: Int64? = 0
    for input in inputs {
      let size = try Self.check(input)
      total = size.flatMap { size in total.map { $0 + max(0, size - input.start.offset) } }
    }
    totalBytes = total
    self.settings = settings
    self.notify = notify
    let limit = Self.lineLimit(settings)
    files = inputs.enumerated().map { InputFile($1, source: $0, limit: limit) }
    block = [UInt8](repeating: 0, count: max(1, settings.blockSize))
  }

  /// Appends up to `limit` lines (at least one is asked for) and returns true, or returns false at the end of all
  /// inputs. It waits only while it has no line to give.
  public mutating func next(into lines: inout [RawLine], limit: Int) async throws(LineSourceError) -> Bool {
    let start = lines.count
    let wanted = start + min(max(1, limit), 1 << 40)
    while true {
      takeLines(into: &lines, upTo: wanted)
      if lines.count > start { return true }
      if Task.isCancelled { throw .cancelled }
      guard let index = nextUnfinished() else { return false }
      switch try readBlock(of: index) {
      case .bytes: quietWaits = 0
      case .nothingYet:
        idleInputs += 1
        // Inputs are read in order, unless they are followed, when none may hold up the others.
        if settings.follow { current += 1 }
        try await waitIfAllAreIdle()
      case .end:
        try handleEnd(of: index, into: &lines)
        if lines.count > start { return true }
        try await waitIfAllAreIdle()
      }
    }
  }

  private var lineLimit: Int { Self.lineLimit(settings) }

  /// At least a byte, and far enough from the largest number to be added to.
  private static func lineLimit(_ settings: Settings) -> Int { min(max(1, settings.longestLine), 1 << 40) }

  /// The size of a regular file, nil for anything else.
  private static func check(_ input: LineInput) throws(LineSourceError) -> Int64? {
    let status: OpenFile.Status
    do {
      switch input {
      case .file(let path, _): status = try OpenFile.status(of: path)
      case .standardInput: status = try OpenFile(borrowing: 0).status()
      case .descriptor(let number, _): status = try OpenFile(borrowing: number).status()
      }
    } catch {
      throw error == .noSuchFile ? .missing(path: input.name) : .unreadable(path: input.name, error)
    }
    if status.isDirectory { throw .directory(path: input.name) }
    if let path = input.path, !OpenFile.isReadable(path) { throw .unreadable(path: path, .permissionDenied) }
    return status.isRegular ? status.size : nil
  }

  private mutating func takeLines(into lines: inout [RawLine], upTo wanted: Int) {
    guard files.indices.contains(current) else { return }
    while lines.count < wanted, let piece = files[current].splitter.next(in: block, from: &position, to: end) {
      deliver(piece, into: &lines)
    }
  }

  private func deliver(_ piece: LineSplitter.Piece, into lines: inout [RawLine]) {
    switch piece {
    case .line(let line): lines.append(line)
    case .refused(let refused): notify(.refused(refused))
    }
  }

  /// Moves `current` to an input that is not finished; nil when all are.
  private mutating func nextUnfinished() -> Int? {
    for step in 0..<files.count {
      let index = (current + step) % files.count
      if !files[index].isFinished {
        current = index
        return index
      }
    }
    return nil
  }

  private mutating func readBlock(of index: Int) throws(LineSourceError) -> InputFile.Progress {
    if !files[index].isOpen {
      do {
        if try files[index].open(source: index, limit: lineLimit) { notify(.truncated(source: index)) }
      } catch {
        // A followed file that was moved away between two looks: its successor will come.
        guard settings.follow, case .missing = error else { throw error }
        return .nothingYet
      }
    }
    let progress = try files[index].read(into: &block)
    guard case .bytes(let count) = progress else { return progress }
    position = 0
    end = count
    bytesRead += Int64(count)
    idleInputs = 0
    if files[index].isFresh {
      files[index].isFresh = false
      if let hint = BinaryHint(firstBlock: block[..<count]) { notify(.looksBinary(source: index, hint)) }
    }
    return progress
  }

  private mutating func handleEnd(of index: Int, into lines: inout [RawLine]) throws(LineSourceError) {
    guard settings.follow, files[index].canBeFollowed else {
      finishLine(of: index, into: &lines)
      files[index].finish()
      notify(.finished(source: index, lines: files[index].splitter.lineCount))
      return
    }
    switch try files[index].change() {
    case .none:
      files[index].isVanished = false
      moveOn()
    case .vanished:
      if !files[index].isVanished { notify(.vanished(source: index)) }
      files[index].isVanished = true
      moveOn()
    case .truncated:
      finishLine(of: index, into: &lines)
      try files[index].rewind(source: index, limit: lineLimit)
      notify(.truncated(source: index))
    case .replaced:
      // Its writer may have added lines between our last read and the renaming.
      if case .bytes = try readBlock(of: index) { return }
      finishLine(of: index, into: &lines)
      files[index].reopen(source: index, limit: lineLimit)
      files[index].isVanished = false
      notify(.replaced(source: index))
    }
  }

  private mutating func moveOn() {
    idleInputs += 1
    current += 1
  }

  private mutating func finishLine(of index: Int, into lines: inout [RawLine]) {
    if let piece = files[index].splitter.finish() { deliver(piece, into: &lines) }
  }

  private mutating func waitIfAllAreIdle() async throws(LineSourceError) {
    let unfinished = files.count { !$0.isFinished }
    guard unfinished > 0, idleInputs >= (settings.follow ? unfinished : 1) else { return }
    idleInputs = 0
    let isPipe = !files.contains { !$0.isFinished && $0.canBeFollowed } || !settings.follow
    let backedOff = Duration.milliseconds(1 << min(quietWaits, 10))
    quietWaits += 1
    do {
      try await settings.sleep(isPipe ? min(backedOff, settings.pipeInterval) : settings.followInterval)
    } catch {
      throw .cancelled
    }
  }
}
