import Foundation
import Testing

@testable import WeirCommandKit

@Suite struct `The rejects writer` {
  func reject(_ bytes: [UInt8], line: Int = 1) -> Reject {
    Reject(file: "a \"b\".jsonl", line: line, offset: 77, code: "line.not-utf8", reason: "why", bytes: bytes)
  }

  func raw(_ record: [String: Any]) throws -> [UInt8] {
    if let text = record["text"] as? String { return Array(text.utf8) }
    let encoded = try #require(record["base64"] as? String)
    return [UInt8](try #require(Data(base64Encoded: encoded)))
  }

  @Test func `keeps every byte of every line`() throws {
    let folder = try TemporaryFolder()
    var lines: [[UInt8]] = [Array("text 中文 \u{1B}[0m \"q\"".utf8), [], [0xFF], [0x00, 0x01], Array("{\"a\":".utf8)]
    for length in 0..<8 { lines.append([0xFE] + (0..<length).map { UInt8($0 * 31) }) }
    let writer = try RejectsWriter(path: folder.file("r.jsonl"))
    for (index, line) in lines.enumerated() { try writer.append(reject(line, line: index + 1)) }
    try writer.flush()
    let records = try folder.contents(of: "r.jsonl").split(separator: 10).map { try jsonObject(Array($0)) }
    #expect(try records.map(raw) == lines)
    #expect(records.map { $0["line"] as? Int } == Array(1...lines.count))
    #expect(records.allSatisfy { $0["file"] as? String == "a \"b\".jsonl" && $0["offset"] as? Int == 77 })
    #expect(records.allSatisfy { $0["code"] as? String == "line.not-utf8" && $0["reason"] as? String == "why" })
    #expect(writer.count == lines.count)
  }

  @Test func `appends to what is there and repairs a record that was cut off`() throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"file\":\"old\"}\n{\"file\":\"cu", to: "r.jsonl")
    try RejectsWriter(path: folder.file("r.jsonl")).append(reject([0x61]))
    try RejectsWriter(path: folder.file("r.jsonl")).append(reject([0x62]))
    let lines = try folder.contents(of: "r.jsonl").split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    #expect(lines.count == 4)
    #expect(lines[1] == "{\"file\":\"cu")
    #expect(try raw(jsonObject(Array(lines[2].utf8))) == [0x61])
    #expect(try raw(jsonObject(Array(lines[3].utf8))) == [0x62])
  }

  @Test func `tells the length of a line of which only the start was kept`() throws {
    let folder = try TemporaryFolder()
    let writer = try RejectsWriter(path: folder.file("r.jsonl"))
    var long = reject([0x61])
    long.length = 5_000_000_000
    try writer.append(long)
    try writer.flush()
    #expect(try jsonObject(folder.contents(of: "r.jsonl"))["length"] as? Int == 5_000_000_000)
  }

  @Test func `creates a file that only its owner may read`() throws {
    let folder = try TemporaryFolder()
    _ = try RejectsWriter(path: folder.file("r.jsonl"))
    let mode = try FileManager.default.attributesOfItem(atPath: folder.file("r.jsonl"))[.posixPermissions] as? Int
    #expect(mode.map { $0 & 0o077 } == 0)
  }

  @Test func `reports a full disk as temporary and keeps the records for another try`() throws {
    let writer = try RejectsWriter(path: "/dev/full", bufferLimit: 1)
    for _ in 0..<2 {
      let error = #expect(throws: OutputError.self) { try writer.append(reject([0x61])) }
      #expect(error?.code == "output.full")
      #expect(error?.exitCode == .temporary)
    }
    #expect(writer.count == 2)
    #expect(throws: OutputError.self) { try writer.flush() }
  }

  @Test func `says why it cannot be created`() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: OutputError.self) { try RejectsWriter(path: folder.file("none/r.jsonl")) }
    #expect(error?.code == "output.cannot-create")
    #expect(error?.exitCode == .cannotCreate)
    #expect(error?.message.contains("No such file or directory") == true)
  }

  @Test func `keeps records of many threads apart`() async throws {
    let folder = try TemporaryFolder()
    let writer = try RejectsWriter(path: folder.file("r.jsonl"), bufferLimit: 100)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for line in 0..<100 { try writer.append(reject(Array("\(task)".utf8), line: line)) }
        }
      }
      try await group.waitForAll()
    }
    try writer.flush()
    let records = try folder.contents(of: "r.jsonl").split(separator: 10).map { try jsonObject(Array($0)) }
    let byTask = Dictionary(grouping: records) { $0["text"] as? String }
    #expect(byTask.count == 4)
    #expect(byTask.values.allSatisfy { $0.compactMap { $0["line"] as? Int } == Array(0..<100) })
  }
}

@Suite struct `An output file` {
  @Test func `is not overwritten unless asked for`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("precious", to: "out")
    let error = #expect(throws: OutputError.self) { _ = try OutputFile(creating: path, replacing: false) }
    #expect(error == .exists(path: path))
    #expect(try folder.contents(of: "out") == Array("precious".utf8))
    do {
      var file = try OutputFile(creating: path, replacing: true)
      try file.append("new")
    }
    #expect(try folder.contents(of: "out") == Array("new".utf8))
  }

  @Test func `tells a full disk from other failures`() throws {
    var file = try OutputFile(creating: "/dev/full", replacing: true, bufferLimit: 4)
    let error = #expect(throws: OutputError.self) { try file.append("12345") }
    #expect(error?.exitCode == .temporary)
  }

  @Test func `encodes base64 as Foundation does`() {
    for length in 0..<70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 67 + 5) }
      #expect(String(decoding: Base64.encode(bytes), as: UTF8.self) == Data(bytes).base64EncodedString())
    }
  }
}
