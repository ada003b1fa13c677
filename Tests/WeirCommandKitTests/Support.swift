import Foundation
import Synchronization
import Testing

@testable import WeirCommandKit

/// A folder that goes away with the last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("weir-command-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    // Not atomically: a new file under the name would be a replacement.
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  func append(_ text: String, to name: String) throws {
    let handle = try #require(FileHandle(forWritingAtPath: file(name)))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }

  func contents(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
  }
}

/// Collects values from any thread.
final class Collector<Value: Sendable>: Sendable {
  private let storage = Mutex<[Value]>([])
  func append(_ value: Value) { storage.withLock { $0.append(value) } }
  var values: [Value] { storage.withLock { $0 } }
}

/// Stands in for waiting: each wait does the next step of a script, and the wait after the last one is cancelled.
final class Script: Sendable {
  typealias Step = @Sendable () throws -> Void
  private let steps: Mutex<ArraySlice<Step>>

  init(_ steps: [Step]) {
    self.steps = Mutex(steps[...])
  }

  var remaining: Int { steps.withLock { $0.count } }

  func wait() throws {
    guard let step = steps.withLock({ $0.popFirst() }) else { throw CancellationError() }
    try step()
  }
}

/// Everything a source gives until it ends or its script does.
func readAll(
  _ inputs: [LineInput], settings: LineSource.Settings = .init(), limit: Int = 3
) async throws -> (lines: [RawLine], events: [LineSourceEvent], error: LineSourceError?) {
  let events = Collector<LineSourceEvent>()
  var source = try LineSource(inputs, settings: settings) { events.append($0) }
  var lines: [RawLine] = []
  do {
    while try await source.next(into: &lines, limit: limit) {}
  } catch {
    return (lines, events.values, error)
  }
  return (lines, events.values, nil)
}

extension RawLine {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

func jsonObject(_ bytes: [UInt8]) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
}
