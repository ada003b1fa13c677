import Foundation
import Testing

@testable import WeirCommandKit

/// Lines by the book, from the whole contents at once: the oracle for reading in blocks.
private func reference(_ bytes: [UInt8], limit: Int = .max) -> (lines: [RawLine], refused: [Int]) {
  var lines: [RawLine] = []
  var refused: [Int] = []
  var offset = 0
  var parts = bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
  let hasLastBreak = parts.last?.isEmpty ?? true
  if hasLastBreak { parts.removeLast() }
  for (index, part) in parts.enumerated() {
    let start = offset
    offset += part.count + 1
    var content = part
    if content.last == 13, index < parts.count - 1 || hasLastBreak { content.removeLast() }
    if content.count > limit {
      refused.append(index + 1)
      continue
    }
    var mark = 0
    if start == 0, content.starts(with: [0xEF, 0xBB, 0xBF]) {
      content.removeFirst(3)
      mark = 3
    }
    if !content.isEmpty {
      lines.append(RawLine(source: 0, number: index + 1, offset: Int64(start + mark), bytes: content))
    }
  }
  return (lines, refused)
}

@Suite struct `The line source` {
  @Test(arguments: [
    "", "\n", "\r\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "\n\n a\n\r\n\nlast", "\u{FEFF}first\nsecond\n", "\u{FEFF}\nx",
    "a\rb\n\r\r\n",
    "中文\n混排\r\n结尾", "end with return\r",
  ])
  func `finds the same lines wherever blocks end`(text: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: "in")
    let expected = reference(Array(text.utf8)).lines
    for blockSize in 1...(text.utf8.count + 1) {
      var settings = LineSource.Settings()
      settings.blockSize = blockSize
      let result = try await readAll([.file(path: path)], settings: settings)
      #expect(result.lines == expected)
      #expect(result.error == nil)
    }
  }

  @Test func `refuses lines over the limit, wherever blocks end, and delivers the rest`() async throws {
    let lengths = [3, 9, 10, 11, 12, 1_000, 10, 0, 11, 5, 300]
    var bytes: [UInt8] = []
    for (index, length) in lengths.enumerated() {
      bytes += Array(repeating: UInt8(97 + index), count: length) + (index % 2 == 0 ? [13, 10] : [10])
    }
    bytes += Array(repeating: 122, count: 50)
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "in")
    let expected = reference(bytes, limit: 10)
    #expect(expected.refused == [4, 5, 6, 9, 11, 12])
    for blockSize in [1, 2, 3, 7, 10, 11, 12, 13, 64, 4_096] {
      var settings = LineSource.Settings()
      settings.blockSize = blockSize
      settings.longestLine = 10
      let result = try await readAll([.file(path: path)], settings: settings)
      #expect(result.lines == expected.lines)
      let refused = result.events.compactMap { if case .refused(let line) = $0 { line } else { nil } }
      #expect(refused.map(\.number) == expected.refused)
      #expect(refused.map(\.length) == [11, 12, 1_000, 11, 300, 50])
      #expect(refused.allSatisfy { $0.limit == 10 && bytes[Int($0.offset)] == $0.start.first })
      #expect(refused[2].start == Array(repeating: 102, count: 256))
      #expect(refused[0].reason == "the line has 11 bytes; the limit is 10 bytes")
    }
  }

  @Test func `holds no more of a line than the limit`() {
    var splitter = LineSplitter(source: 0, limit: 1_000)
    let block = Array(repeating: UInt8(97), count: 64)
    for _ in 0..<10_000 {
      var position = 0
      #expect(splitter.next(in: block, from: &position, to: block.count) == nil)
      #expect(splitter.heldByteCount <= 1_001)
    }
    guard case .refused(let line) = splitter.finish() else {
      Issue.record("not refused")
      return
    }
    #expect(line.length == 640_000)
  }

  @Test func `reads several files in order and asks for no more than was wanted`() async throws {
    let folder = try TemporaryFolder()
    let inputs = try (0..<3).map { LineInput.file(path: try folder.write("\($0)a\n\($0)b\n\($0)c", to: "in\($0)")) }
    var source = try LineSource(inputs)
    #expect(source.totalBytes == 24)
    var lines: [RawLine] = []
    var sizes: [Int] = []
    while true {
      let before = lines.count
      guard try await source.next(into: &lines, limit: 2) else { break }
      sizes.append(lines.count - before)
    }
    #expect(sizes.allSatisfy { (1...2).contains($0) })
    #expect(lines.map(\.text) == ["0a", "0b", "0c", "1a", "1b", "1c", "2a", "2b", "2c"])
    #expect(lines.map(\.source) == [0, 0, 0, 1, 1, 1, 2, 2, 2])
    #expect(source.bytesRead == 24)
    #expect(try await source.next(into: &lines, limit: 2) == false)
  }

  @Test func `goes on from a position`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("one\ntwo\nthree\n", to: "in")
    let all = try await readAll([.file(path: path)]).lines
    for (index, line) in all.enumerated() {
      let position = LinePosition(offset: line.offset, line: line.number - 1)
      #expect(try await readAll([.file(path: path, from: position)]).lines == Array(all[index...]))
    }
    let beyond = try await readAll([.file(path: path, from: LinePosition(offset: 1_000, line: 40))])
    #expect(beyond.lines == all)
    #expect(beyond.events.first == .truncated(source: 0))
  }

  @Test func `takes extreme settings and positions without harm`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("one\ntwo", to: "in")
    for number in [Int.min, 0, Int.max] {
      var settings = LineSource.Settings()
      settings.longestLine = number
      settings.blockSize = min(number, 1_000)
      let position = LinePosition(offset: Int64(number), line: number)
      let result = try await readAll([.file(path: path, from: position)], settings: settings, limit: number)
      #expect(result.lines.count == (number == .max ? 2 : 0))
      #expect(result.events.last == .finished(source: 0, lines: 2))
    }
  }

  @Test func `passes on bytes that are no text`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([0, 1, 0xFF, 10, 0xFE, 13, 10], to: "in")
    let result = try await readAll([.file(path: path)])
    #expect(result.lines.map(\.bytes) == [[0, 1, 0xFF], [0xFE]])
    #expect(result.events == [.looksBinary(source: 0, .zeroBytes), .finished(source: 0, lines: 2)])
  }

  @Test(
    arguments: [
      ([0x1F, 0x8B, 8], .gzip), ([0x28, 0xB5, 0x2F, 0xFD], .zstandard), ([0xFF, 0xFE, 0x7B, 0], .utf16),
      (Array("SQLite format 3\0".utf8), .sqlite), ([0x7B, 0], .zeroBytes), (Array("{\"a\":1}".utf8), nil), ([], nil),
      ([0xFF, 0xC0], nil),
    ] as [([UInt8], BinaryHint?)])
  func `recognises files that are no text by their beginning`(bytes: [UInt8], hint: BinaryHint?) {
    #expect(BinaryHint(firstBlock: bytes) == hint)
  }

  @Test func `tells before it starts what cannot be read`() throws {
    let folder = try TemporaryFolder()
    let good = try folder.write("x\n", to: "good")
    func failure(_ path: String) -> LineSourceError? {
      #expect(throws: LineSourceError.self) { _ = try LineSource([.file(path: good), .file(path: path)]) }
    }
    #expect(failure(folder.file("none")) == .missing(path: folder.file("none")))
    #expect(failure(folder.path) == .directory(path: folder.path))
    #expect(failure(folder.path)?.exitCode == .noInput)
    #expect(failure(folder.file("\u{1B}[2J"))?.message.contains("␛[2J") == true)
    #expect(failure(good + "/below")?.code == "input.unreadable")
  }
}

@Suite struct `The line source on pipes` {
  /// A pipe whose writing end the script uses.
  private func makePipe() -> (reading: FileHandle, writing: FileHandle) {
    let pipe = Pipe()
    return (pipe.fileHandleForReading, pipe.fileHandleForWriting)
  }

  @Test func `delivers what is there and waits only when there is nothing`() async throws {
    let pipe = makePipe()
    let writing = pipe.writing
    let script = Script([
      { try writing.write(contentsOf: Data("a\nb".utf8)) }, {},
      { try writing.write(contentsOf: Data("c\r\n\nd".utf8)) },
      { try writing.close() },
    ])
    var settings = LineSource.Settings()
    settings.sleep = { _ in try script.wait() }
    let result = try await readAll(
      [.descriptor(pipe.reading.fileDescriptor, name: "pipe")], settings: settings)
    #expect(result.lines.map(\.text) == ["a", "bc", "d"])
    #expect(result.lines.map(\.number) == [1, 2, 4])
    #expect(result.lines.map(\.offset) == [0, 2, 7])
    #expect(result.error == nil)
    #expect(script.remaining == 0)
    withExtendedLifetime(pipe) {}
  }

  @Test func `waits longer while the pipe stays quiet`() async throws {
    let pipe = makePipe()
    let waits = Collector<Duration>()
    var settings = LineSource.Settings()
    settings.sleep = { wait in
      waits.append(wait)
      if waits.values.count == 8 { throw CancellationError() }
    }
    let result = try await readAll([.descriptor(pipe.reading.fileDescriptor, name: "pipe")], settings: settings)
    #expect(result.error == .cancelled)
    #expect(waits.values == [1, 2, 4, 8, 16, 20, 20, 20].map { .milliseconds($0) })
    withExtendedLifetime(pipe) {}
  }

  @Test func `opens a named pipe before its writer comes`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let writer = Collector<FileHandle>()
    let script = Script([
      {}, { writer.append(try #require(FileHandle(forWritingAtPath: path))) },
      { try writer.values[0].write(contentsOf: Data("x\ny\n".utf8)) }, { try writer.values[0].close() },
    ])
    var settings = LineSource.Settings()
    settings.sleep = { _ in try script.wait() }
    let result = try await readAll([.file(path: path)], settings: settings)
    #expect(result.lines.map(\.text) == ["x", "y"])
    #expect(result.error == nil)
  }

  @Test func `stops waiting when its task is cancelled`() async throws {
    let pipe = makePipe()
    let number = pipe.reading.fileDescriptor
    let task = Task { try await readAll([.descriptor(number, name: "pipe")]).error }
    task.cancel()
    #expect(try await task.value == .cancelled)
    withExtendedLifetime(pipe) {}
  }

  @Test func `does not know the size of a pipe`() throws {
    let pipe = makePipe()
    let total = try LineSource([.descriptor(pipe.reading.fileDescriptor, name: "pipe")]).totalBytes
    #expect(total == nil)
    withExtendedLifetime(pipe) {}
  }
}

@Suite struct `The line source following files` {
  private func follow(
    _ inputs: [LineInput], _ steps: [Script.Step]
  ) async throws -> (lines: [RawLine], events: [LineSourceEvent]) {
    let script = Script(steps)
    var settings = LineSource.Settings()
    settings.follow = true
    settings.sleep = { _ in try script.wait() }
    let result = try await readAll(inputs, settings: settings)
    #expect(result.error == .cancelled)
    #expect(script.remaining == 0)
    return (result.lines, result.events)
  }

  @Test func `waits for growth and holds back an unfinished line`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a\nb", to: "log")
    let result = try await follow(
      [.file(path: path)],
      [{}, { try folder.append("c\n", to: "log") }, { try folder.append("d\n\ne\nf", to: "log") }])
    #expect(result.lines.map(\.text) == ["a", "bc", "d", "e"])
    #expect(result.lines.map(\.number) == [1, 2, 3, 5])
    #expect(result.lines.map(\.offset) == [0, 2, 5, 8])
    #expect(result.events == [])
  }

  @Test func `starts again when the file was cut, after what it held back`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("one\ntwo\nhalf", to: "log")
    let result = try await follow([.file(path: path)], [{ try folder.write("x\n", to: "log") }])
    #expect(result.lines.map(\.text) == ["one", "two", "half", "x"])
    #expect(result.lines.map(\.number) == [1, 2, 3, 1])
    #expect(result.events == [.truncated(source: 0)])
  }

  @Test func `reads a rotated file to its end and goes on with the new one`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("one\n", to: "log")
    let result = try await follow(
      [.file(path: path)],
      [
        { try FileManager.default.moveItem(atPath: path, toPath: path + ".1") },
        { try folder.append("late\nhalf", to: "log.1") },
        { try folder.write("new one\nnew two\n", to: "log") },
        { try folder.append("new three\n", to: "log") },
      ])
    #expect(result.lines.map(\.text) == ["one", "late", "half", "new one", "new two", "new three"])
    #expect(result.lines.map(\.number) == [1, 2, 3, 1, 2, 3])
    #expect(result.events == [.vanished(source: 0), .replaced(source: 0)])
  }

  @Test func `reads what came into the old file just before it was replaced`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("one\n", to: "log")
    let result = try await follow(
      [.file(path: path)],
      [
        {
          try folder.append("last words\n", to: "log")
          try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
          try folder.write("new\n", to: "log")
        }
      ])
    #expect(result.lines.map(\.text) == ["one", "last words", "new"])
    #expect(result.events == [.replaced(source: 0)])
  }

  @Test func `follows several files, none holding up another`() async throws {
    let folder = try TemporaryFolder()
    let inputs = try ["a", "b"].map { LineInput.file(path: try folder.write("\($0)1\n", to: $0)) }
    let result = try await follow(
      inputs,
      [{ try folder.append("b2\n", to: "b") }, { try folder.append("a2\n", to: "a") }, {}])
    #expect(result.lines.map(\.text) == ["a1", "b1", "b2", "a2"])
    #expect(result.lines.map(\.source) == [0, 1, 1, 0])
  }

  @Test func `ends with the last pipe, as a pipe that was closed does not grow`() async throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("x\n".utf8))
    try pipe.fileHandleForWriting.close()
    var settings = LineSource.Settings()
    settings.follow = true
    let number = pipe.fileHandleForReading.fileDescriptor
    let result = try await readAll([.descriptor(number, name: "pipe")], settings: settings)
    #expect(result.lines.map(\.text) == ["x"])
    #expect(result.error == nil)
    withExtendedLifetime(pipe) {}
  }
}
